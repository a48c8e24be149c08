import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any screen has. */
const stopsMax = 120;

interface Stop {
  readonly name: string;
  /** Whether one sees that it has the focus. */
  readonly shown: boolean;
}

/** Where the focus is, and whether that is to be seen: on the control, or beside it where the control is hidden. */
const focused = (page: Page): Promise<Stop> =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || at === document.body) return { name: "nothing", shown: true };
    const probe = document.createElement("i");
    probe.style.color = "var(--mantine-primary-color-filled)";
    document.body.append(probe);
    const focusColor = getComputedStyle(probe).color;
    probe.remove();
    const outlined = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
    };
    // Fields show it by their border, or that of the frame around them, which takes the first colour.
    const bordered =
      at.matches("input, textarea, select, .mantine-FileInput-input") &&
      [at, at.parentElement, at.parentElement?.parentElement].some(
        (frame) => frame && getComputedStyle(frame).borderColor === focusColor,
      );
    const near = [at, ...(at.parentElement?.children ?? []), at.closest("label")];
    const name = at.getAttribute("aria-label") || at.textContent || at.id || at.tagName;
    return {
      name: name.replaceAll(/\s+/g, " ").slice(0, 60),
      shown: bordered || near.some((element) => element && outlined(element)),
    };
  });

/**
 * Presses Tab until `target` has the focus, as somebody without a mouse does. Fails when it never comes, and on the
 * way at every control that does not show that it has the focus.
 */
export async function reach(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const way: string[] = [];
  await target.waitFor();
  const there = () => target.evaluate((element) => element === document.activeElement);
  while (!(await there())) {
    expect(way.length, `Tab never came there; it went over ${way.join(", ")}`).toBeLessThan(stopsMax);
    await page.keyboard.press(key);
    const { name } = await focused(page);
    way.push(name);
    await expect.poll(async () => (await focused(page)).shown, `“${name}” shows no focus`).toBe(true);
  }
}

/** Reaches a control and presses a key on it. */
export async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

/** Presses a key until what it does has happened: the keys of every screen load after it. */
export async function pressUntil(page: Page, key: string, happened: () => Promise<unknown>): Promise<void> {
  await expect(async () => {
    await page.keyboard.press(key);
    await happened();
  }).toPass();
}

/** Walks to the first row of the screen's table. */
export const toFirstRow = (page: Page) =>
  pressUntil(page, "j", () => expect(page.locator("main [data-row]").first()).toBeFocused({ timeout: 200 }));

/** Opens the palette and gives the field that one types into. */
export async function openPalette(page: Page): Promise<Locator> {
  const field = page.getByPlaceholder("Search keys, models, rules, IDs, screens and actions…");
  await pressUntil(page, "ControlOrMeta+k", () => field.waitFor({ timeout: 1_000 }));
  return field;
}
