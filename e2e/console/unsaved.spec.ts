import type { Page } from "@playwright/test";
import { expect, look, test } from "../support/console.ts";

const question = (page: Page) => page.getByRole("dialog", { name: "Leave without saving?" });
const keepEditing = (page: Page) => question(page).getByRole("button", { name: "Keep editing" }).click();
const discard = (page: Page) => question(page).getByRole("button", { name: "Discard changes" }).click();
const goTo = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name }).click();

test("an edited rule is not lost by Escape, by the way back or by a reload", async ({
  consolePage: page,
}) => {
  await page.goto("/usage");
  await goTo(page, "Routing rules");
  await page.getByRole("button", { name: "Create rule" }).first().click();
  const editor = page.getByRole("dialog", { name: "Create a routing rule" });
  const name = editor.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Half a rule");

  await page.keyboard.press("Escape");
  await expect(question(page)).toBeVisible();
  await look(page, "unsaved");
  await page.keyboard.press("Escape");
  await expect(question(page)).toHaveCount(0);
  await expect(name).toHaveValue("Half a rule");

  await page.evaluate(() => window.history.back());
  await keepEditing(page);
  await expect(page).toHaveURL(/routing-rules\?edit=new$/);
  await expect(name).toHaveValue("Half a rule");

  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => window.location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await expect(name).toHaveValue("Half a rule");

  await page.evaluate(() => window.history.back());
  await discard(page);
  await expect(page).toHaveURL(/\/usage/);
  await expect(page.getByRole("table", { name: "Transfers" })).toBeVisible();
});

test("a form without changes, or with changes taken back, is left without a question", async ({
  consolePage: page,
}) => {
  await page.goto("/destinations?add=webhook");
  const sheet = page.getByRole("dialog", { name: "Add Webhook" });
  const name = sheet.getByRole("textbox", { name: "Name", exact: true });
  const before = await name.inputValue();
  await name.fill("Another");
  await page.keyboard.press("Escape");
  await keepEditing(page);
  await name.fill(before);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(question(page)).toHaveCount(0);
});

test("a key that is being edited keeps its input after a visit elsewhere, and asks when it is closed", async ({
  consolePage: page,
}) => {
  await page.goto("/keys");
  await page.getByRole("button", { name: /^First key/ }).click();
  const sheet = page.getByRole("dialog", { name: "First key" });
  await sheet.getByRole("tab", { name: "Edit" }).click();
  await sheet.getByLabel("Spending limit in euros").fill("7");
  await sheet.getByRole("tab", { name: "Overview" }).click();
  await sheet.getByRole("tab", { name: "Edit" }).click();
  await expect(sheet.getByLabel("Spending limit in euros")).toHaveValue("7");
  await sheet.getByRole("tab", { name: "Overview" }).click();
  await sheet.getByRole("button", { name: "Close" }).click();
  await discard(page);
  await expect(sheet).toHaveCount(0);
});

test("a link asks while a name is half written, and no longer once it is saved", async ({
  consolePage: page,
}) => {
  await page.goto("/settings/organisation");
  const name = page.getByLabel("Name", { exact: true });
  const before = await name.inputValue();
  await name.fill("Half a name");
  await goTo(page, "API keys");
  await keepEditing(page);
  await expect(name).toHaveValue("Half a name");
  await goTo(page, "API keys");
  await discard(page);
  await expect(page).toHaveURL(/\/keys$/);

  await page.goto("/settings/organisation");
  await name.fill(before);
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText(`is renamed to ${before}`)).toBeVisible();
  await goTo(page, "API keys");
  await expect(page).toHaveURL(/\/keys$/);
  await expect(question(page)).toHaveCount(0);
});
