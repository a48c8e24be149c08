import { expect, look, signInOnce, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("a newcomer without a session reads the first guide, with commands for this server", async ({
  cleanPage: page,
}) => {
  await page.goto("/docs");
  await page.getByRole("region", { name: "Start" }).getByRole("link", { name: "First request" }).click();
  await expect(page).toHaveURL(/\/docs\/guides\/first-request$/);
  await expect(page).toHaveTitle("First request · Portolan");
  await expect(page.getByText(`curl ${installation.origin}/api/v1/chat/completions`).first()).toBeVisible();
  await look(page, "guide");
  await page.getByRole("link", { name: "First routing rule →" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "First routing rule" })).toBeVisible();
  await page
    .getByRole("navigation", { name: "Breadcrumb" })
    .getByRole("link", { name: "Documentation" })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Documentation" })).toBeVisible();
});

test("a search leads to the section of a guide, and to operations", async ({ cleanPage: page }) => {
  await page.goto("/docs");
  await page.getByLabel("Search the documentation").fill("restored backup");
  const results = page.getByRole("region", { name: "Search results" });
  await results.getByRole("link", { name: "Data of a person: After a restored backup" }).click();
  await expect(page).toHaveURL(/data-subjects#after-a-restored-backup$/);
  await expect(page.getByRole("heading", { name: "After a restored backup" })).toBeInViewport();
  await page.goto("/docs?q=api+keys");
  await expect(results.getByRole("link", { name: "List API keys" })).toBeVisible();
  await look(page, "docs search");
});

test("every document is served, and a path without one is not found", async ({
  cleanPage: page,
  request,
}) => {
  await page.goto("/docs");
  const links = await page.getByRole("main").getByRole("link").all();
  const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
  expect(paths.length).toBeGreaterThan(30);
  for (const path of paths) expect([path, (await request.get(path ?? "")).status()]).toEqual([path, 200]);
  expect((await request.get("/docs/guides/nothing")).status()).toBe(404);
  expect((await request.get("/docs/..%2f..%2fpackage")).status()).toBe(404);
});

test("an operation is tried from the reference with one's own key", async ({ cleanPage: page }) => {
  await signInOnce(page);
  await page.goto("/docs/reference#models-list");
  await page.getByLabel("Find an operation").fill("create a chat completion");
  const operation = page.getByRole("article").filter({ hasText: "Create a chat completion" });
  await operation.getByRole("button", { name: "Try it" }).click();
  const form = operation.getByRole("form", { name: "Try Create a chat completion" });
  await form.getByLabel("API key", { exact: true }).fill(installation.apiKey);
  await form.getByRole("button", { name: "Send request" }).click();
  await expect(form.getByText("HTTP 200")).toBeInViewport();
  await expect(form.getByRole("region", { name: /^answer of/ })).toContainText('"chat.completion"');
  await look(page, "try it");
});

test("an old link to an operation leads to the reference", async ({ cleanPage: page }) => {
  await page.goto("/docs#models-list");
  await expect(page).toHaveURL(/\/docs\/reference#models-list$/);
});
