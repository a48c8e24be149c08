import { startVllm } from "#test/providers/vllm-server.ts";
import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

let vllm: Awaited<ReturnType<typeof startVllm>>;
test.use({
  settings: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs off its first parameter
    async ({}, use) => {
      vllm = await startVllm();
      await use({ ALLOW_PRIVATE_HOSTS: "127.0.0.1", ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1" });
      await vllm.close();
    },
    { scope: "worker" },
  ],
});
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
  await server.getByLabel("Base URL").fill(vllm.origin);
  await server.getByRole("button", { name: "Find models" }).click();
  const form = page.getByRole("form", { name: "Provider" });
  await expect(form.getByRole("status")).toContainText("Found 1 model");
  await form.getByLabel("Name").fill("Our GPU server");
  await form.getByLabel("Country").fill("de");
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
  await expect(form.getByLabel("Fields")).toHaveValue(/"base_url"/);
  await page.screenshot({ path: picture("own-provider-entry") });
  await expectNoFault(page, { popup: true });
  await form.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete our-gpu-server" });
  await dialog.getByLabel("Type our-gpu-server to confirm").fill("our-gpu-server");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});
