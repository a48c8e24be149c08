import { expectNoFault } from "../support/accessibility.ts";
import { expect, look, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { withVllm } from "../support/own-vllm.ts";

const vllmOrigin = withVllm();
test.describe.configure({ mode: "serial" });

test("from nothing to the first answer of an own vLLM in less than 90 seconds, without a file or a restart", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/providers/own");
  await expect(page.getByText("No own providers yet")).toBeVisible();
  const since = performance.now();
  await page.getByRole("button", { name: "Add a provider" }).first().click();
  const server = page.getByRole("form", { name: "Server" });
  await server.getByLabel("Base URL").fill("http://10.1.2.3:8000/v1");
  await server.getByRole("button", { name: "Find models" }).click();
  await expect(server.getByRole("status")).toContainText("ALLOW_PRIVATE_HOSTS");
  await server.getByLabel("Base URL").fill(vllmOrigin());
  await server.getByRole("button", { name: "Find models" }).click();
  const form = page.getByRole("form", { name: "Provider" });
  await expect(form.getByRole("status")).toContainText("Found 1 model");
  await form.getByLabel("Name").fill("Our GPU server");
  await form.getByRole("combobox", { name: "Country" }).fill("germ");
  await page.getByRole("option", { name: "Germany (DE)" }).click();
  await page.screenshot({ path: picture("own-provider-facts") });
  await expectNoFault(page, { popup: true });
  await form.getByRole("button", { name: "Add provider" }).click();
  await expect(page.getByText("Your routing rules allow this provider")).toBeVisible();
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.getByRole("status")).toContainText("Answer");
  const seconds = (performance.now() - since) / 1_000;
  test.info().annotations.push({ type: "seconds to the first answer", description: seconds.toFixed(1) });
  expect(seconds).toBeLessThan(90);
  await page.screenshot({ path: picture("own-provider-answer") });
  await expectNoFault(page, { popup: true });
  await page.getByRole("button", { name: "Done" }).click();

  const row = page.getByRole("row", { name: /our-gpu-server Provider/ });
  await expect(row).toContainText("In use");
  await page.screenshot({ path: picture("own-providers") });
  const response = await request.post("/api/v1/chat/completions", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: {
      model: "qwen/qwen3-32b",
      messages: [{ role: "user", content: "Hello." }],
      provider: { only: ["our-gpu-server"] },
    },
  });
  expect((await response.json()).usage).toMatchObject({ is_byok: true, cost: 0 });
});

test("it is disabled, enabled by undo, and deleted by its name", async ({ consolePage: page }) => {
  await page.goto("/providers/own?section=provider");
  const row = page.getByRole("row", { name: /our-gpu-server Provider/ });
  await row.getByRole("switch").press("Space");
  await expect(row).toContainText("Disabled");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toContainText("In use");
  await row.getByRole("button", { name: /^our-gpu-server/ }).click();
  const form = page.getByRole("form", { name: "Catalogue entry" });
  await expect(form.getByLabel("All fields")).toHaveValue(/"base_url"/);
  await page.screenshot({ path: picture("own-provider-entry") });
  await expectNoFault(page, { popup: true });
  await form.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete our-gpu-server" });
  await dialog.getByLabel("Type our-gpu-server to confirm").fill("our-gpu-server");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});

test("a fact of the catalogue is replaced with its source, shown, changed and restored", async ({
  consolePage: page,
  request,
}) => {
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  await page.goto("/providers?open=mistral");
  await page.getByRole("link", { name: "Override facts" }).click();
  const form = page.getByRole("form", { name: "Override" });
  await expect(form.getByLabel("Retention", { exact: true })).toHaveAccessibleDescription(/Now: 30-day/);
  await expect(form.getByRole("button", { name: "Override" })).toBeDisabled();
  await form.getByLabel("Retention", { exact: true }).selectOption({ label: "A number of days" });
  await form.getByLabel("Source").fill("Contract 2026-114");
  await look(page, "override-form");
  await form.getByRole("button", { name: "Override" }).click();
  const row = page.getByRole("row", { name: /^mistral/ });
  await expect(row).toContainText("Override of the shipped catalogue");
  await expect(row).toContainText("Contract 2026-114");
  const { data } = await (await request.get("/api/v1/catalogue-entries?search=mistral", { headers })).json();
  expect(data[0].entry).toEqual({ slug: "mistral", retention_days: 0, retains_prompts: false });

  await page.goto("/providers?open=mistral");
  await expect(page.getByRole("table", { name: "Mistral AI" })).toContainText("zero data retention");
  await page.getByRole("link", { name: "Edit overrides" }).click();
  const entry = page.getByRole("form", { name: "Catalogue entry" });
  await entry.getByLabel("Trains on prompts").selectOption("yes");
  await look(page, "override-entry");
  await entry.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("mistral is saved.")).toBeVisible();
  await row.getByRole("button", { name: /^mistral/ }).click();
  await expect(entry.getByLabel("Trains on prompts")).toHaveValue("yes");
  await entry.getByRole("button", { name: "Restore" }).click();
  await page.getByLabel("Type mistral to confirm").fill("mistral");
  await page
    .getByRole("dialog", { name: "Restore mistral" })
    .getByRole("button", { name: "Restore" })
    .click();
  await expect(row).toHaveCount(0);
});
