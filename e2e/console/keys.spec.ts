import { expectNoFault } from "../support/accessibility.ts";
import { expect, look, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("a key is made, shown once, used and revoked by its name", async ({ consolePage: page, request }) => {
  await page.goto("/keys");
  await expect(page.getByRole("row", { name: /First key/ })).toBeVisible();
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("From the console");
  await dialog.getByLabel("Spending limit in euros").fill("1.5");
  await dialog.getByLabel("Limit resets").selectOption("monthly");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await expect(dialog.getByText("You will not see this key again")).toBeVisible();
  const key = (await dialog.getByLabel("API key", { exact: true }).textContent()) ?? "";
  expect(key).toMatch(/^ptl_[0-9A-Za-z]{61}$/);
  await dialog.getByRole("tab", { name: "Python" }).click();
  await expect(dialog.getByText("from openai import OpenAI")).toBeVisible();
  await page.screenshot({ path: picture("keys-created") });
  await expectNoFault(page, { popup: true });
  await dialog.getByRole("button", { name: "I have copied it" }).click();

  const row = page.getByRole("row", { name: /From the console/ });
  await expect(row).toContainText("of €1.50 per month");
  await expect(page.getByText(key)).toHaveCount(0);
  const headers = { authorization: `Bearer ${key}` };
  expect((await request.get("/api/v1/me", { headers })).status()).toBe(200);

  await row.getByRole("button", { name: /^From the console/ }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  const confirm = page.getByRole("dialog", { name: "Revoke From the console" });
  await expect(confirm.getByRole("button", { name: "Revoke" })).toBeDisabled();
  await confirm.getByLabel("Type From the console to confirm").fill("From the console");
  await confirm.getByRole("button", { name: "Revoke" }).click();
  await expect(row).toHaveCount(0);
  expect((await request.get("/api/v1/me", { headers })).status()).toBe(401);
});

// Axe looks at every element of two screens in both schemes.
test.setTimeout(120_000);

test("what a key may is changed after it was made, and holds at once", async ({
  consolePage: page,
  request,
}) => {
  const made = await request.post("/api/v1/keys", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: { name: "Changed later", limit: 1.5, limit_reset: "monthly" },
  });
  const { key } = (await made.json()) as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  const complete = async (model: string) => {
    const data = { model, prompt: "Say hello.", max_tokens: 4 };
    return (await request.post("/api/v1/completions", { headers, data })).status();
  };
  expect(await complete("sandbox/chat")).toBe(200);

  await page.goto("/keys");
  const row = page.getByRole("row", { name: /Changed later/ });
  await row.click();
  const sheet = page.getByRole("dialog", { name: "Changed later" });
  await expect(sheet.getByText(/of €1.50 per month; €1\.\d+ left/)).toBeVisible();
  await look(page, "key-about");
  await sheet.getByRole("tab", { name: "Code" }).click();
  await expect(sheet.getByText(`${installation.origin}/api/v1/completions`)).toBeVisible();
  await sheet.getByRole("tab", { name: "Edit" }).click();
  const limit = sheet.getByLabel("Spending limit in euros");
  await expect(limit).toHaveValue("1.5");
  await look(page, "key-change");
  await limit.fill("0");
  await sheet.getByLabel("Requests per minute").fill("100");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Changed later is saved.")).toBeVisible();
  await expect(sheet.getByText("Limit reached")).toBeVisible();
  expect(await complete("sandbox/chat")).toBe(402);

  await sheet.getByRole("tab", { name: "Edit" }).click();
  await limit.fill("2");
  await sheet.getByLabel("Models", { exact: true }).selectOption("Selected models");
  await sheet.getByLabel("Allowed models").fill("sandbox/rer");
  await page.getByRole("option", { name: "sandbox/rerank" }).click();
  // The list stays open for another one.
  await page.keyboard.press("Tab");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(sheet.getByRole("row", { name: "Models sandbox/rerank" })).toBeVisible();
  expect(await complete("sandbox/chat")).toBe(403);
  await sheet.getByRole("tab", { name: "Edit" }).click();
  await sheet.getByLabel("Models", { exact: true }).selectOption("All models");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(sheet.getByRole("row", { name: "Models All models" })).toBeVisible();
  expect(await complete("sandbox/chat")).toBe(200);

  await page.keyboard.press("Escape");
  // The track lies over the input.
  await row.getByRole("switch", { name: "Changed later is on" }).click({ force: true });
  await expect(page.getByText("Changed later is disabled.")).toBeVisible();
  await expect.poll(() => complete("sandbox/chat")).toBe(401);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row.getByRole("switch", { name: "Changed later is on" })).toBeChecked();
  await expect.poll(() => complete("sandbox/chat")).toBe(200);
});
