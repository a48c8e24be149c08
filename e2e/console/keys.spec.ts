import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";

test("a key is made, shown once, used and revoked by its name", async ({ consolePage: page, request }) => {
  await page.goto("/keys");
  await expect(page.getByRole("row", { name: /First key/ })).toBeVisible();
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("From the console");
  await dialog.getByLabel("Spending limit in euros").fill("1.5");
  await dialog.getByLabel("The limit starts anew").selectOption("monthly");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await expect(dialog.getByText("It is shown this once")).toBeVisible();
  const key = (await dialog.getByLabel("API key", { exact: true }).textContent()) ?? "";
  expect(key).toMatch(/^ptl_[0-9A-Za-z]{61}$/);
  await dialog.getByRole("tab", { name: "Python" }).click();
  await expect(dialog.getByText("from openai import OpenAI")).toBeVisible();
  await page.screenshot({ path: picture("keys-created") });
  await expectNoFault(page, { popup: true });
  await dialog.getByRole("button", { name: "I have copied it" }).click();

  const row = page.getByRole("row", { name: /From the console/ });
  await expect(row).toContainText("of €1.50 a month");
  await expect(page.getByText(key)).toHaveCount(0);
  const headers = { authorization: `Bearer ${key}` };
  expect((await request.get("/api/v1/me", { headers })).status()).toBe(200);

  await row.getByRole("button", { name: "Revoke From the console" }).click();
  await expect(dialog.getByRole("button", { name: "Revoke" })).toBeDisabled();
  await dialog.getByLabel("Type From the console to confirm").fill("From the console");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(row).toHaveCount(0);
  expect((await request.get("/api/v1/me", { headers })).status()).toBe(401);
});
