import { readFile } from "node:fs/promises";
import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };
const file = `version: 1
workspaces:
  - { name: From a file, limit: 5, limit_reset: monthly }
keys:
  - { name: Key of a file, workspace: From a file }
providers:
  - { name: mistral, source: Our contract, entry: { retention_days: 0 } }
rules:
  - { name: Rule of a file, model: sandbox/chat, provider: { only: [ mistral ] } }
`;

// Other tests use the same server, so what was there before is restored.
let before = "";
test.beforeEach(async ({ request }) => {
  const answer = await request.get("/api/v1/config/export", { headers });
  before = (await answer.json()).data.file;
});
test.afterEach(async ({ page, request }) => {
  // It may still ask for what is deleted here, which would be an error in its log.
  await page.close();
  const data = { file: before, prune: true, digest: null };
  expect((await request.post("/api/v1/config/apply", { headers, data })).status()).toBe(200);
});

test("a file is planned and applied, then there is no drift, and the export has it; drift is found and undone", async ({
  consolePage: page,
  request,
}) => {
  const data = { model: "sandbox/chat", prompt: "Hello", max_tokens: 4 };
  expect((await request.post("/api/v1/completions", { headers, data })).status()).toBe(200);
  await page.goto("/settings/configuration");
  const paste = page.getByLabel("Or paste it here");
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "portolan.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
  await expect(paste).toHaveValue(file);
  const plan = page.getByRole("region", { name: "Plan", exact: true });
  // The request is recorded a moment after its answer.
  await expect(async () => {
    await page.getByRole("button", { name: "Show plan" }).click();
    await expect(plan.getByRole("status")).toHaveText("The state differs from the file: 4 to create");
    const rule = page.getByRole("region", { name: "Rules: Rule of a file" });
    await expect(rule).toContainText("would have been refused", { timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await look(page, "configuration-plan");

  await plan.getByRole("button", { name: "Apply…" }).click();
  await look(page, "configuration-apply");
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
  await expect(page.getByText("The configuration is applied.")).toBeVisible();
  const key = page.getByRole("region", { name: "API key Key of a file" });
  await expect(key).toContainText(/ptl_\w+/);
  await look(page, "configuration-applied");
  const entries = await (await request.get("/api/v1/catalogue-entries?search=mistral", { headers })).json();
  expect(entries.total_count).toBe(1);

  await page.getByRole("button", { name: "Show plan" }).click();
  await expect(plan.getByRole("status")).toContainText("No changes, but");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download portolan.yaml" }).click();
  const exported = await readFile(await (await saved).path(), "utf8");
  expect(exported).toContain("source: Our contract");

  await paste.fill(exported);
  await page.getByLabel("Delete what is not in the file").check();
  await page.getByRole("button", { name: "Show plan" }).click();
  await expect(plan.getByRole("status")).toHaveText("No drift: the state is that of the file");
  await request.post("/api/v1/workspaces", { headers, data: { name: "Made by hand" } });
  await page.getByRole("button", { name: "Show plan" }).click();
  await expect(plan.getByRole("status")).toHaveText("The state differs from the file: 1 to delete");
  await plan.getByRole("button", { name: "Apply…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Apply", exact: true })).toBeDisabled();
  await dialog.getByLabel("Delete 1 resource. This cannot be undone.").check();
  await dialog.getByRole("button", { name: "Apply", exact: true }).click();
  await expect(page.getByText("1 deleted.")).toBeVisible();
});

test("a file is planned and applied by keyboard alone", async ({ consolePage: page, request }) => {
  await page.goto("/settings/configuration");
  await page.getByLabel("Or paste it here").focus();
  await page.keyboard.insertText("version: 1\nworkspaces:\n  - { name: By keys }\n");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Show plan" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Plan", exact: true }).getByRole("status")).toContainText(
    "1 to create",
  );
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Apply…" })).toBeFocused();
  await page.keyboard.press("Enter");
  const apply = page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true });
  for (
    let presses = 0;
    presses < 6 && !(await apply.evaluate((button) => button === document.activeElement));
    presses++
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The configuration is applied.")).toBeVisible();
  const { data } = await (await request.get("/api/v1/workspaces", { headers })).json();
  expect(data.map(({ name }: { name: string }) => name)).toContain("By keys");
});
