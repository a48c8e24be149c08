import { run } from "../../scripts/verify.mjs";
import { expect, picture, test } from "../support/console.ts";

test("a workspace is created, changed and deleted, and the audit log shows each step", async ({
  consolePage: page,
}) => {
  await page.goto("/settings/workspaces");
  await page.getByRole("button", { name: "Create workspace" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Field tests");
  await dialog.getByLabel("Spending limit in euros").fill("20");
  await dialog.getByLabel("Limit resets").selectOption("weekly");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const row = page.getByRole("row", { name: /Field tests/ });
  await expect(row).toContainText("of €20.00 per week");
  await row.getByRole("button", { name: "Edit Field tests" }).click();
  await dialog.getByLabel("Spending limit in euros").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("no limit");

  await page.getByRole("link", { name: "Audit log" }).click();
  await page
    .getByRole("button", { name: /workspace.update/ })
    .first()
    .click();
  const change = dialog.getByRole("table", { name: "Before and after" });
  await expect(change.getByRole("row", { name: /^limit 20/ })).toBeVisible();
  await page.screenshot({ path: picture("audit-log-entry") });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Verify the log" }).click();
  await expect(page.getByText(/^All .* entries verified$/)).toBeVisible();
  await page.getByLabel("Action", { exact: true }).fill("no.such_action");
  await expect(page.getByText("No results")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("button", { name: /workspace.create/ }).first()).toBeVisible();

  await page.getByRole("link", { name: "Workspaces" }).click();
  await row.getByRole("button", { name: "Delete Field tests" }).click();
  await dialog.getByLabel("Type Field tests to confirm").fill("Field tests");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});

test("the proof of an entry is downloaded, and the verifier accepts it", async ({ consolePage: page }) => {
  await page.goto("/settings/audit-log?action=organisation.create");
  await page
    .getByRole("button", { name: /organisation.create/ })
    .first()
    .click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download proof" }).click();
  const { code, text } = run([await (await download).path()]);
  expect(text).toContain('action: "organisation.create"');
  expect(code).toBe(0);
});

test("an organisation is renamed, and the screen shows the retention times", async ({
  consolePage: page,
}) => {
  await page.goto("/settings/organisation");
  const name = page.getByLabel("Name", { exact: true });
  const before = await name.inputValue();
  await name.fill("Renamed for a test");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("is renamed to Renamed for a test")).toBeVisible();
  await page.reload();
  await expect(name).toHaveValue("Renamed for a test");
  const retention = page.getByRole("table", { name: "Data retention" });
  await expect(retention.getByRole("row", { name: /^Responses/ })).toContainText("30 days");
  await name.fill(before);
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText(`is renamed to ${before}`)).toBeVisible();
});

test("on a phone the bar of the settings shows the page one is on", async ({ consolePage: page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/settings/audit-log");
  const bar = page.getByRole("navigation", { name: "Settings" });
  await expect(bar.getByRole("link", { name: "Audit log" })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("heading", { name: "Settings" })).toBeInViewport();
});
