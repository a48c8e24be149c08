import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("where data of an end user went is found, with what was known of the provider, and saved", async ({
  consolePage: page,
  request,
}) => {
  const endUser = "evidence-ada@example.eu";
  const response = await request.post("/api/v1/completions", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: {
      ...{ model: "sandbox/chat", prompt: "Hello", max_tokens: 4, user: endUser },
      provider: { data_residency: "fr" },
    },
  });
  expect(response.status()).toBe(200);

  await page.goto("/overview");
  await page.getByRole("navigation").getByRole("link", { name: "Evidence" }).click();
  await page.getByRole("textbox", { name: "End user" }).fill(endUser);
  await expect(page).toHaveURL(/user=evidence-ada/);
  const summary = page.getByRole("table", { name: "Summary" });
  await expect(summary.getByRole("row", { name: /^Requests 1$/ })).toBeVisible();
  await expect(summary.getByRole("row", { name: /^Sent to the EU or EEA 1$/ })).toBeVisible();
  const row = page.getByRole("table", { name: "Providers that received requests" }).getByRole("row").nth(1);
  await expect(row).toContainText("sandbox-fr:sandbox/chat");
  await look(page, "evidence");

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download requests (CSV)" }).click();
  const csv = await readFile(await (await saved).path(), "utf8");
  expect(csv).toContain(response.headers()["x-generation-id"]);
  expect(csv).toContain("sandbox-fr:sandbox/chat ok");

  await row.getByRole("button").click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("row", { name: /^Inference runs in/ })).toContainText("France");
  await look(page, "evidence-provider");
  await sheet.getByRole("button", { name: "Only requests under these facts" }).click();
  await expect(page).toHaveURL(/facts=[0-9a-f]{64}/);
  await expect(summary.getByRole("row", { name: /^Requests 1$/ })).toBeVisible();
});

test("an evidence package is built in the background, downloaded and deleted", async ({
  consolePage: page,
}) => {
  await page.goto("/evidence?user=nobody-asks@example.eu");
  await page.getByRole("button", { name: "Build evidence package" }).click();
  await expect(page).toHaveURL(/\/evidence\/packages\?open=/);
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("row", { name: "Status ready" })).toBeVisible();
  await look(page, "evidence-package");
  const sha256 = await sheet
    .getByRole("row", { name: /^SHA-256/ })
    .getByRole("cell")
    .textContent();

  const saved = page.waitForEvent("download");
  await sheet.getByRole("link", { name: "Download" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^evidence-[\d-]+\.zip$/);
  const archive = await readFile(await download.path());
  expect(hash("sha256", archive, "hex")).toBe(sha256);

  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await look(page, "evidence-packages");
  await page.locator("button[data-row]").first().press("Enter");
  await sheet.getByRole("button", { name: "Delete" }).press("Enter");
  await expect(page.getByText("The evidence package is deleted.")).toBeVisible();
  await expect(sheet).toBeHidden();
});
