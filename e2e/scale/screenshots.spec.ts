import type { Page } from "@playwright/test";
import { expect, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const rules = [
  {
    name: "No training on our data",
    description: "Works council agreement of March",
    scope: "org",
    provider: { data_collection: "deny" },
  },
  {
    name: "Personnel data stays in the EU",
    description: "Inference in the EU, by owners in the EU, kept nowhere",
    scope: "user",
    models: ["openai/gpt-oss-120b"],
    provider: { data_residency: "eu", eu_owned: true, max_retention_days: 0 },
  },
  {
    name: "Batch jobs go where it is cheapest",
    scope: "user",
    models: ["qwen/qwen3.8-27b"],
    provider: { sort: "price" },
  },
  { name: "Drafts in France first", scope: "user", provider: { order: ["mistral", "scaleway"] } },
  {
    name: "Only Germany, for the audit",
    scope: "org",
    enabled: false,
    provider: { data_residency: "de" },
  },
];

/** The pictures of the README, and what is done on a screen before it is photographed. */
const pictures: Record<string, { path: string; prepare: (page: Page) => Promise<void> }> = {
  overview: {
    path: "/overview?range=30d",
    prepare: async (page) => {
      await page.getByRole("region", { name: /^Requests from keys over rules/ }).waitFor();
      await page.getByRole("button", { name: "Hide" }).click();
    },
  },
  "routing-rules": {
    path: "/routing-rules",
    prepare: async (page) => {
      await page
        .getByRole("row", { name: /Personnel data/ })
        .getByText("Personnel data")
        .click();
      const editor = page.getByRole("dialog");
      await editor.getByLabel("Test with").selectOption("openai/gpt-oss-120b");
      await editor.getByText("To allow it:").first().waitFor();
    },
  },
  logs: {
    path: "/logs?range=7d",
    prepare: async (page) => {
      // Why a request went where it went is recorded for real requests only.
      await page.request.post("/api/v1/chat/completions", {
        headers: { authorization: `Bearer ${installation.apiKey}` },
        data: { model: "sandbox/chat", messages: [{ role: "user", content: "Hello" }], max_tokens: 8 },
      });
      const row = page.getByRole("row", { name: /sandbox\/chat/ });
      await expect(async () => {
        await page.reload();
        await row.first().waitFor({ timeout: 5_000 });
      }).toPass();
      await row.first().getByText("completed").click();
      await page.getByRole("tab", { name: "Routing" }).click();
      await page.getByRole("table", { name: "Endpoints of sandbox/chat" }).waitFor();
    },
  },
  playground: {
    path: "/playground",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Compare with a second model" }).click();
      for (const name of ["Model", "Second model"]) {
        await page.getByRole("combobox", { name, exact: true }).click();
        await page.getByRole("option", { name: /^sandbox\/chat/ }).click();
      }
      await page.getByLabel("Message").fill("Write two sentences about the harbour at dawn.");
      await page.getByRole("button", { name: "Run" }).click();
      await expect(page.getByRole("button", { name: "Why this provider" })).toHaveCount(2);
    },
  },
};

test.beforeAll(async ({ request }) => {
  for (const data of rules) {
    const made = await request.post("/api/v1/routing-rules", {
      headers: { authorization: `Bearer ${installation.apiKey}` },
      data,
    });
    expect(made.status()).toBe(201);
  }
});

for (const [name, { path, prepare }] of Object.entries(pictures)) {
  test(`a picture of ${name}`, async ({ consolePage: page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(path);
    await prepare(page);
    await page.waitForFunction(
      () => document.querySelectorAll('[aria-busy="true"], .mantine-Skeleton-root').length === 0,
    );
    await page.screenshot({ path: `docs/images/${name}.png` });
  });
}
