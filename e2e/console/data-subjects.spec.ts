import { readFile } from "node:fs/promises";
import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };

test("what is stored about an end user is exported, counted and erased", async ({
  consolePage: page,
  request,
}) => {
  const endUser = "subject-ada@example.eu";
  const asked = await request.post("/api/v1/responses", {
    headers,
    data: { model: "sandbox/chat", input: "The secret of Ada", max_output_tokens: 4, user: endUser },
  });
  expect(asked.status()).toBe(200);
  const { id } = await asked.json();

  await page.goto("/evidence");
  await page
    .getByRole("navigation", { name: "Evidence" })
    .getByRole("link", { name: "Data subjects" })
    .click();
  const panel = page.getByRole("region", { name: "Data of a person" });
  await panel.getByLabel("End user").fill(endUser);
  await page.getByLabel("Reference (optional)").fill("Case 17");

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  expect(await readFile(await (await saved).path(), "utf8")).toContain("The secret of Ada");

  await page.getByRole("button", { name: "Dry run" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("row", { name: /^Stored responses 1$/ })).toBeVisible();
  await look(page, "erasure");
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  expect((await request.get(`/api/v1/responses/${id}`, { headers })).status()).toBe(200);

  await page.getByRole("button", { name: "Erase", exact: true }).click();
  await sheet.getByLabel(`Type ${endUser} to confirm`).fill(endUser);
  await look(page, "erase");
  await sheet.getByRole("button", { name: "Erase" }).click();
  await expect(sheet.getByRole("row", { name: /^Status erased$/ })).toBeVisible({ timeout: 20_000 });
  await expect(sheet.getByRole("row", { name: /^Stored responses 1$/ })).toBeVisible();
  expect((await request.get(`/api/v1/responses/${id}`, { headers })).status()).toBe(404);
  await page.keyboard.press("Escape");
  const rows = page.getByRole("table", { name: "Erasures and dry runs" }).getByRole("row");
  await expect(rows.filter({ hasText: "Case 17" })).toHaveCount(2);
  await look(page, "data-subjects");
});

test("a legal hold forbids an erasure until it is released", async ({ consolePage: page, request }) => {
  const endUser = "held-grace@example.eu";
  await page.goto("/evidence/data-subjects");
  const holds = page.getByRole("region", { name: "Legal holds" });
  await holds.getByRole("button", { name: "New legal hold" }).click();
  const dialog = page.getByRole("dialog", { name: "New legal hold" });
  await dialog.getByLabel("Name").fill("Case 18");
  await dialog.getByLabel("End user").fill(endUser);
  await look(page, "new-legal-hold");
  await dialog.getByRole("button", { name: "Set legal hold" }).click();
  await expect(holds.getByRole("row", { name: /Case 18/ })).toContainText("in force");

  const erase = () =>
    request.post("/api/v1/erasures", { headers, data: { end_user: endUser, dry_run: false } });
  expect((await erase()).status()).toBe(409);

  await holds.getByRole("button", { name: "Release Case 18" }).click();
  await page.getByLabel("Type Case 18 to confirm").fill("Case 18");
  await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
  await expect(holds.getByRole("row", { name: /Case 18/ })).toContainText("released");
  expect((await erase()).status()).toBe(201);
});
