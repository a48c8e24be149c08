import { expect, type Locator, type Page } from "@playwright/test";
import { openPalette, press } from "./keyboard.ts";

/** A way to use the console, which counts its clicks: presses of controls, and choices in lists. Typing is no click. */
export interface Hand {
  readonly press: (control: Locator) => Promise<void>;
  readonly choose: (list: Locator, option: string) => Promise<void>;
  /** Chooses from a list that is searched by typing. */
  readonly pick: (field: Locator, option: string) => Promise<void>;
  readonly type: (field: Locator, text: string) => Promise<void>;
  /** Opens the search and goes to what has this name. */
  readonly find: (name: string) => Promise<void>;
  readonly clicks: () => number;
}

export const hands = ["mouse", "keyboard", "phone"] as const;

const palette = (page: Page) =>
  page.getByPlaceholder("Search keys, models, rules, IDs, screens and actions…");

/** A control that cannot be pressed by then is covered by something. */
const pressMs = 20_000;

/** What differs between the hands: how a control is pressed, chosen from and typed into, and how the search opens. */
const ways = (page: Page) => {
  const pointer = (point: (control: Locator) => Promise<void>) => ({
    press: point,
    choose: async (list: Locator, option: string) => void (await list.selectOption({ label: option })),
    pick: async (field: Locator, option: string) => {
      await field.fill(option);
      await point(page.getByRole("option", { name: option, exact: true }));
    },
    type: async (field: Locator, text: string) => {
      await field.fill(text);
    },
    search: async () => {
      const field = palette(page);
      // The search loads after the page.
      await expect(async () => {
        // An open search covers its button.
        if (!(await field.isVisible())) await point(page.getByRole("button", { name: /^Search( ⌘K)?$/ }));
        await field.waitFor({ timeout: 5_000 });
      }).toPass();
    },
  });
  return {
    mouse: pointer((control) => control.click({ timeout: pressMs })),
    phone: pointer((control) => control.tap({ timeout: pressMs })),
    keyboard: {
      press: (control: Locator) => press(page, control),
      choose: async (list: Locator, option: string) => {
        await press(page, list, "Home");
        await page.keyboard.type(option);
        await expect(list.locator("option:checked")).toHaveText(option);
      },
      pick: async (field: Locator, option: string) => {
        await press(page, field, "ControlOrMeta+a");
        await page.keyboard.type(option);
        await page.getByRole("option", { name: option, exact: true }).waitFor();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await expect(field).toHaveValue(option);
      },
      type: async (field: Locator, text: string) => {
        await press(page, field, "ControlOrMeta+a");
        await page.keyboard.type(text);
      },
      search: async () => void (await openPalette(page)),
    },
  };
};

export function handOf(page: Page, name: (typeof hands)[number]): Hand {
  const way = ways(page)[name];
  let clicks = 0;
  return {
    press: async (control) => {
      clicks++;
      await way.press(control);
    },
    choose: async (list, option) => {
      clicks++;
      await way.choose(list, option);
    },
    pick: async (field, option) => {
      clicks++;
      await way.pick(field, option);
    },
    type: way.type,
    find: async (text) => {
      clicks += 2;
      await way.search();
      await palette(page).fill(text);
      const found = page.getByRole("button", { name: new RegExp(`^${text}`) }).first();
      await found.waitFor();
      if (name === "keyboard") await page.keyboard.press("Enter");
      else await way.press(found);
    },
    clicks: () => clicks,
  };
}
