import { readFile } from "node:fs/promises";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("credit is granted once, despite a double click, and is in the ledger; usage is grouped and exported to a file", async ({
  consolePage: page,
  request,
}) => {
  const answered = await request.post("/api/v1/completions", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: { model: "sandbox/chat", prompt: "Say hello.", max_tokens: 8 },
  });
  expect(answered.status()).toBe(200);

  await page.goto("/usage");
  await page.getByRole("button", { name: "Grant credit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount in euros").fill("12.5");
  await dialog.getByLabel("Reason").fill("Budget of the tests");
  await dialog.getByRole("button", { name: "Grant", exact: true }).dblclick();
  await expect(dialog).toHaveCount(0);
  const transfers = page.getByRole("table", { name: "Transfers" });
  await expect(transfers.getByText("Budget of the tests")).toHaveCount(1);
  await expect(transfers.getByRole("row", { name: /Budget of the tests/ })).toContainText("+€12.50");
  await page.getByLabel("Kind of transfer").selectOption("usage");
  await expect(transfers.getByText("View request").first()).toBeVisible();
  await expect(transfers.getByText("Budget of the tests")).toHaveCount(0);

  await page.getByText("Provider", { exact: true }).click();
  const table = page.getByRole("table", { name: "Usage by provider" });
  await expect(table.getByRole("row", { name: /sandbox/ }).first()).toBeVisible();
  const chart = page.getByRole("region", { name: "Daily usage" });
  await chart.getByText("Requests", { exact: true }).click();
  await chart.getByText("Table", { exact: true }).click();
  const now = new Date();
  const shown = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(now);
  await expect(chart.getByRole("row", { name: new RegExp(shown) })).toBeVisible();
  await page.screenshot({ path: picture("usage-filled"), fullPage: true });

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const text = await readFile(await file.path(), "utf8");
  expect(text.split("\n")[0]).toMatch(/^day,provider,name,requests,/);
  expect(text).toContain(`${now.toISOString().slice(0, 10)},sandbox`);

  await page.getByLabel("Range").selectOption("custom");
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-31");
  await expect(page.getByText("No usage in this period").first()).toBeVisible();
});

test("at 390 px the ledger shows complete amounts", async ({ consolePage: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/usage");
  await expect(page.getByRole("table", { name: "Transfers" }).getByText("€").first()).toBeVisible();
  const hidden = await page
    .getByRole("region", { name: "Transfers" })
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(hidden).toBe(0);
});

test("a key of metadata is chosen as a tag, and usage is grouped by it", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/settings/organisation");
  await page.getByLabel("End user").check();
  await page.getByRole("combobox", { name: "Keys of metadata" }).fill("team");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save tags" }).click();
  await expect(page.getByText("The tags are saved.")).toBeVisible();
  for (const team of ["research", "research", "sales"]) {
    const sent = await request.post("/api/v1/chat/completions", {
      headers: { authorization: `Bearer ${installation.apiKey}` },
      data: {
        ...{ model: "sandbox/chat", max_tokens: 4, metadata: { team }, user: "ada" },
        messages: [{ role: "user", content: "Hello" }],
      },
    });
    expect(sent.status()).toBe(200);
  }
  await expect(async () => {
    await page.goto("/usage?range=7d");
    await page.getByLabel("By tag").selectOption("team");
    await expect(page.getByRole("row", { name: /^research 2 / })).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await expect(page.getByRole("row", { name: /^sales 1 / })).toBeVisible();
  await page.screenshot({ path: picture("usage-by-tag"), fullPage: true });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.screenshot({ path: picture("usage-by-tag-390") });
  await page.goto("/settings/organisation");
  await expect(page.getByRole("table", { name: "Values of tags" })).toContainText("2 of 1,000 values");
  await page.screenshot({ path: picture("tags-390"), fullPage: true });
});
