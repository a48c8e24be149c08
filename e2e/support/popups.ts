import type { Page } from "@playwright/test";

export interface Screen {
  readonly path: string;
  readonly ready: (page: Page) => Promise<void>;
  /** A dialog or menu is open over it. */
  readonly popup?: true;
}

/** Dialogs, menus and tabs of the log and of the header that a test opens before it inspects them. */
export const popups: Record<string, Screen> = {
  "time zone": {
    path: "/settings",
    ready: async (page) => {
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("menuitem", { name: /^Time zone/ }).click();
      await page.getByLabel("Show times in").waitFor();
    },
    popup: true,
  },
  "log columns": {
    path: "/logs",
    ready: async (page) => {
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Country" }).waitFor();
    },
    popup: true,
  },
  "log views": {
    path: "/logs",
    ready: async (page) => {
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByLabel("Name of the view").waitFor();
    },
    popup: true,
  },
  "request routing": {
    path: "/logs",
    ready: async (page) => {
      await page
        .getByRole("row", { name: /sandbox\/chat/ })
        .first()
        .click();
      await page.getByRole("tab", { name: "Routing" }).click();
      await page.getByRole("table", { name: "Endpoints of sandbox/chat" }).waitFor();
    },
    popup: true,
  },
};
