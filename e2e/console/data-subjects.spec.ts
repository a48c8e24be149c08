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
