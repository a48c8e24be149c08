import { expect, type Page } from "@playwright/test";
import { screenPaths } from "#app/_ui/navigation.ts";
import { applyView, expectNoFault, views } from "./support/accessibility.ts";
import { picture, test } from "./support/console.ts";
import { installation } from "./support/installation.ts";
import { popups, type Screen } from "./support/popups.ts";

/** Screens that need data or a click before the inspection, and how a test sees that they are ready. */
const prepared: Record<string, Screen> = {
  overview: {
    path: "/overview",
    ready: async (page) => {
      await page.getByRole("img", { name: /Requests over time/ }).waitFor();
      await page.getByText("Latest requests").waitFor();
    },
  },
  "overview as a table": {
    path: "/overview",
    ready: async (page) => {
      for (const name of ["Where requests went", "Over time"])
        await page.getByRole("region", { name }).getByText("Table", { exact: true }).click();
      await page.getByRole("table", { name: /over time/ }).waitFor();
    },
  },
  ...popups,
  "account menu": {
    path: "/settings",
    ready: async (page) => {
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
    popup: true,
  },
  palette: {
    path: "/settings",
    ready: async (page) => {
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByPlaceholder("Search keys, models, rules, IDs, screens and actions…").waitFor();
    },
    popup: true,
  },
  logs: {
    path: "/logs",
    ready: (page) =>
      page
        .getByRole("row", { name: /sandbox\/chat/ })
        .first()
        .waitFor(),
  },
  generation: {
    path: "/logs",
    ready: async (page) => {
      await page
        .getByRole("button", { name: /sandbox\/chat/ })
        .first()
        .click();
      await page.getByRole("dialog").getByText("Attempts").waitFor();
    },
    popup: true,
  },
  "routing rules": {
    path: "/routing-rules",
    ready: (page) => page.getByText("No routing rules yet").waitFor(),
  },
  "rule editor": {
    path: "/routing-rules?edit=new",
    ready: (page) => page.getByText("models can be served").waitFor(),
    popup: true,
  },
  "EU groups": {
    path: "/routing-rules?sheet=residency",
    ready: (page) => page.getByText("Liechtenstein").waitFor(),
    popup: true,
  },
  presets: { path: "/presets", ready: (page) => page.getByText("No presets yet").waitFor() },
  "preset form": {
    path: "/presets?add=new",
    ready: (page) => page.getByText("Fits requests to").waitFor(),
    popup: true,
  },
  playground: { path: "/playground", ready: (page) => page.getByText("The answer appears here").waitFor() },
  destinations: {
    path: "/destinations?add=choose",
    ready: (page) => page.getByRole("button", { name: /^OpenTelemetry Collector/ }).waitFor(),
    popup: true,
  },
  "destination form": {
    path: "/destinations?add=langfuse",
    ready: (page) => page.getByLabel("Public key").waitFor(),
    popup: true,
  },
  models: { path: "/models", ready: (page) => page.getByText("sandbox/rerank").waitFor() },
  "model comparison": {
    path: "/models?open=openai%2Fgpt-oss-120b",
    ready: (page) => page.getByText("Prices exclude VAT").waitFor(),
    popup: true,
  },
  providers: { path: "/providers", ready: (page) => page.getByText("Sandbox France").waitFor() },
  provider: {
    path: "/providers?open=mistral",
    ready: (page) => page.getByText("Data stored in").waitFor(),
    popup: true,
  },
  "own providers": {
    path: "/providers/own",
    ready: (page) => page.getByText("No own providers yet").waitFor(),
  },
  "new provider": {
    path: "/providers/own?add=provider",
    ready: (page) => page.getByLabel("Base URL").waitFor(),
    popup: true,
  },
  "catalogue updates": {
    path: "/providers/updates",
    ready: (page) => page.getByText("No updates yet").waitFor(),
  },
  "catalogue update": {
    path: "/providers/updates?add=update",
    ready: (page) => page.getByLabel("Or an address").waitFor(),
    popup: true,
  },
  credentials: {
    path: "/providers/credentials",
    ready: (page) => page.getByText("No credentials yet").waitFor(),
  },
  "credential form": {
    path: "/providers/credentials?add=aws-bedrock",
    ready: (page) => page.getByLabel("Session token").waitFor(),
    popup: true,
  },
  prices: {
    path: "/models/prices?endpoint=openai%3Aopenai%2Fgpt-6.1-sol",
    ready: (page) => page.getByText("Current").waitFor(),
  },
  keys: { path: "/keys", ready: (page) => page.getByText("First key").waitFor() },
  usage: {
    path: "/usage?range=7d",
    ready: (page) => page.getByRole("table", { name: "Transfers" }).waitFor(),
  },
  "credit grant": {
    path: "/usage?range=7d",
    ready: async (page) => {
      await page.getByRole("button", { name: "Grant credit" }).click();
      await page.getByLabel("Amount in euros").waitFor();
    },
    popup: true,
  },
  budgets: { path: "/budgets", ready: (page) => page.getByRole("progressbar").waitFor() },
  "budget form": {
    path: "/budgets?edit=new",
    ready: async (page) => {
      await page.getByLabel("Limit in euros").fill("20");
      await page.getByText("In the last 30 days").waitFor();
    },
    popup: true,
  },
  alerts: { path: "/alerts", ready: (page) => page.getByText("Credit runs low").waitFor() },
  "alert rule": {
    path: "/alerts?edit=new",
    ready: (page) => page.getByLabel("Thresholds in percent").waitFor(),
    popup: true,
  },
  "alert channel": {
    path: "/alerts/channels?edit=new",
    ready: async (page) => {
      await page.getByRole("dialog").getByLabel("Type").selectOption("webhook");
      await page.getByRole("switch", { name: /Sign requests/ }).waitFor();
    },
    popup: true,
  },
  documentation: {
    path: "/docs",
    ready: (page) => page.getByRole("link", { name: "First request" }).waitFor(),
  },
  // Axe inspects each element, and about a hundred operations look alike: some of each kind are enough.
  reference: {
    path: "/docs/reference",
    ready: async (page) => {
      await page.getByLabel("Find an operation").fill("completion");
      await page.getByRole("heading", { name: "List routing rules" }).waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "Create a text completion" }).waitFor();
    },
  },
  profile: { path: "/settings", ready: (page) => page.getByRole("table", { name: "Sessions" }).waitFor() },
  members: { path: "/settings/members", ready: (page) => page.getByText("Administrator").waitFor() },
  "service accounts": {
    path: "/settings/service-accounts",
    ready: (page) => page.getByText("No service accounts yet").waitFor(),
  },
  workspaces: {
    path: "/settings/workspaces",
    ready: (page) => page.getByRole("button", { name: "Create workspace" }).waitFor(),
  },
  organisation: {
    path: "/settings/organisation",
    ready: (page) => page.getByRole("table", { name: "Data retention" }).waitFor(),
  },
  configuration: {
    path: "/settings/configuration",
    ready: (page) => page.getByRole("button", { name: "Show plan" }).waitFor(),
  },
  "audit log": {
    path: "/settings/audit-log",
    ready: (page) =>
      page
        .getByRole("button", { name: /api_key.create/ })
        .first()
        .waitFor(),
  },
  "all organisations": {
    path: "/settings/organisations",
    ready: (page) => page.getByText("Operator of this installation").waitFor(),
  },
  "lost password": { path: "/lost-password", ready: (page) => page.getByLabel("E-mail").waitFor() },
  "new password": {
    path: "/reset-password#a-token",
    ready: (page) => page.getByLabel("New password").waitFor(),
  },
  "sign-in": { path: "/sign-in", ready: (page) => page.getByLabel("E-mail").waitFor() },
};

/** The heading is there, and nothing is loading. */
async function loaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect(page.locator(".mantine-Skeleton-root, [aria-busy=true]")).toHaveCount(0);
}

const preparedPaths = new Set(Object.values(prepared).map(({ path }) => path.replace(/[?#].*/, "")));
const otherScreens = screenPaths
  .filter((path) => !preparedPaths.has(path))
  .map((path): [string, Screen] => [path.slice(1).replaceAll("/", " "), { path, ready: loaded }]);

// The tests of the screens are independent, so they run on all workers.
test.describe.configure({ mode: "parallel", timeout: 90_000 });

/** Data to show: a budget, an alert rule, an answered and a refused request. */
test.beforeAll(async ({ request }) => {
  await request.post("/api/v1/budgets", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: { name: "All together", measure: "requests", limit: 1_000, period: "month" },
  });
  await request.post("/api/v1/alert-rules", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: { name: "Credit runs low", kind: "low_credit" },
  });
  for (const model of ["sandbox/chat", "sandbox/nothing"]) {
    await request.post("/api/v1/completions", {
      headers: { authorization: `Bearer ${installation.apiKey}` },
      data: { model, prompt: "Say hello", max_tokens: 8 },
    });
  }
});

for (const [name, { path, ready, popup = false }] of [...Object.entries(prepared), ...otherScreens]) {
  test(`${name} has no accessibility fault, light and dark, wide and narrow`, async ({
    consolePage: page,
  }) => {
    const [first] = views;
    await page.setViewportSize({ width: first.width, height: 900 });
    await page.emulateMedia({ colorScheme: first.colorScheme, reducedMotion: "reduce" });
    await page.goto(path);
    await ready(page);
    for (const view of views) {
      await applyView(page, view);
      const { colorScheme, width, inspection } = view;
      await page.screenshot({ path: picture(`${name}-${colorScheme}-${width}`), fullPage: width === 1440 });
      if (inspection) await expectNoFault(page, { popup, inspection });
    }
  });
}
