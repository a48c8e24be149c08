import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIRequestContext } from "@playwright/test";
import { type LoopbackUpstream, startUpstream } from "#test/dialects/server.ts";
import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { createOrganisation } from "../support/organisation.ts";

const [first, second, wrong] = [
  "harbour-key-of-ours-0001",
  "harbour-key-of-ours-0002",
  "harbour-key-nobody-9999",
];

const overlayAt = (origin: string) => ({
  schema: "portolan-catalogue/1",
  providers: [
    {
      slug: "harbour",
      name: "Harbour",
      description: "Models in Lisbon.",
      base_url: `${origin}/v1`,
      headquarters: "PT",
      region: "PT",
      datacenters: ["PT"],
      eu_owned: true,
      training: false,
      retention_days: 0,
    },
  ],
  models: [{ id: "harbour/pilot", context_length: 8192 }],
  endpoints: [
    {
      provider: "harbour",
      model: "harbour/pilot",
      price: { currency: "EUR", input: "2.00", output: "4.00", as_of: "2026-11-01" },
      as_of: "2026-11-01",
    },
  ],
});

/** A provider of this test's own, which wants a credential. */
let upstream: LoopbackUpstream;
test.use({
  settings: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs off its first parameter
    async ({}, use) => {
      upstream = await startUpstream();
      upstream.answer = (response, { headers, path }) => {
        const known = [first, second].some((key) => headers.authorization === `Bearer ${key}`);
        const body = path.endsWith("/models")
          ? { data: [] }
          : {
              choices: [{ index: 0, message: { role: "assistant", content: "Ahoy" }, finish_reason: "stop" }],
              usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
            };
        response
          .writeHead(known ? 200 : 401, { "content-type": "application/json" })
          .end(JSON.stringify(known ? body : { error: { message: "who are you?" } }));
      };
      const catalogue = join(installation.dataDir, "catalogue.json");
      writeFileSync(catalogue, JSON.stringify(overlayAt(upstream.origin)));
      await use({ CATALOG_FILE: catalogue, ALLOW_PRIVATE_HOSTS: "127.0.0.1" });
      await upstream.close();
    },
    { scope: "worker" },
  ],
});
test.describe.configure({ mode: "serial" });

const ask = (request: APIRequestContext, key: string = installation.apiKey) =>
  request.post("/api/v1/chat/completions", {
    headers: { authorization: `Bearer ${key}` },
    data: { model: "harbour/pilot", messages: [{ role: "user", content: "Where to?" }] },
  });
const lastKey = () => upstream.received.at(-1)?.headers.authorization;

test("a credential is added from the provider's sheet, checked before that, and requests are sent with it", async ({
  consolePage: page,
  request,
}) => {
  expect((await ask(request)).status()).toBe(503);
  await page.goto("/providers?open=harbour");
  await page.getByRole("link", { name: "Add a credential" }).click();
  const form = page.getByRole("form", { name: "Credential" });
  await expect(form.getByRole("combobox", { name: "Provider" })).toHaveValue("Harbour");
  await form.getByLabel("Name").fill("Our harbour account");
  await form.getByLabel("API key").fill(wrong);
  await form.getByRole("button", { name: "Check" }).click();
  await expect(form.getByRole("status")).toContainText("The provider does not accept the credential");
  await form.getByLabel("API key").fill(first);
  await expect(form.getByRole("status")).toHaveCount(0);
  await form.getByRole("button", { name: "Check" }).click();
  await expect(form.getByRole("status")).toContainText("The provider accepts the credential");
  expect(lastKey()).toBe(`Bearer ${first}`);
  await page.screenshot({ path: picture("credential-checked") });
  await expectNoFault(page, { popup: true });
  await form.getByRole("button", { name: "Add" }).click();

  const row = page.getByRole("row", { name: /Our harbour account/ });
  await expect(row).toContainText("…0001");
  await expect(row).toContainText("Accepted");
  await expect(row).toContainText("Never");
  const response = await ask(request);
  expect((await response.json()).usage).toMatchObject({ is_byok: true, cost: 0 });
  await expect(async () => {
    await page.reload();
    await expect(row).toBeVisible();
    await expect(row).not.toContainText("Never", { timeout: 500 });
  }).toPass();
  await page.screenshot({ path: picture("credentials-list") });
});

test("it is changed, switched off and on again, and removed by its name", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/providers/credentials");
  const row = page.getByRole("row", { name: /Our harbour account/ });
  await row.getByRole("button", { name: /^Our harbour account/ }).click();
  const form = page.getByRole("form", { name: "Credential" });
  await expect(form.getByLabel("API key")).toHaveValue("");
  await form.getByLabel("Name").fill("The second account");
  await form.getByLabel("API key").fill(second);
  await form.getByRole("button", { name: "Save" }).click();
  const changed = page.getByRole("row", { name: /The second account/ });
  await expect(changed).toContainText("…0002");
  await expect(changed).toContainText("Accepted");
  expect((await ask(request)).status()).toBe(200);
  expect(lastKey()).toBe(`Bearer ${second}`);

  await changed.getByRole("switch").press("Space");
  await expect(page.getByText("The second account is disabled.")).toBeVisible();
  expect((await ask(request)).status()).toBe(503);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(changed.getByRole("switch")).toBeChecked();
  await expect.poll(async () => (await ask(request)).status()).toBe(200);

  await changed.getByRole("button", { name: /^The second account/ }).click();
  await form.getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove The second account" });
  await dialog.getByLabel("Type The second account to confirm").fill("The second account");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No credentials yet")).toBeVisible();
  expect((await ask(request)).status()).toBe(503);
});

test("who runs the installation shares one, by keyboard, and another organisation is served and pays with credit", async ({
  consolePage: page,
  request,
}) => {
  const theirs = await createOrganisation();
  await page.goto("/providers/credentials?add=harbour");
  const form = page.getByRole("form", { name: "Credential" });
  await form.getByLabel("Name").focus();
  await page.keyboard.type("The installation's");
  await page.keyboard.press("Tab");
  await expect(form.getByLabel("API key")).toBeFocused();
  await page.keyboard.type(first);
  await form.getByRole("radio", { name: /^Your organisation/ }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(form.getByRole("radio", { name: /^All organisations/ })).toBeChecked();
  await expect(form.getByLabel("Limit to models")).toHaveCount(0);
  await page.keyboard.press("Enter");
  const row = page.getByRole("row", { name: /The installation's/ });
  await expect(row).toContainText("All organisations");
  await expect(row).toContainText("Accepted");
  await expect(page.getByText(/available for Harbour/)).toBeVisible();

  await expect.poll(async () => (await ask(request, theirs)).status()).toBe(200);
  expect((await (await ask(request, theirs)).json()).usage).toMatchObject({ is_byok: false });
  await row.getByRole("button", { name: /^The installation's/ }).press("Enter");
  await form.getByRole("button", { name: "Remove" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: /^Remove/ });
  await dialog.getByLabel(/^Type/).fill("The installation's");
  await page.keyboard.press("Enter");
  await expect(row).toHaveCount(0);
});
