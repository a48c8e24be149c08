import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const complete = (model: string) => ({
  headers: { authorization: `Bearer ${installation.apiKey}` },
  data: { model, prompt: "Say hello from the sea", max_tokens: 32 },
});

test.describe.configure({ mode: "serial" });

test("the checklist turns green by itself when the first request was served", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/overview");
  await expect(page.getByText("Waiting for your first request…")).toBeVisible();
  await expect(page.getByText("API key issued")).toBeVisible();
  await expect(page.getByRole("region", { name: "request", exact: true })).toContainText(
    `${installation.origin}/api/v1/completions`,
  );
  await expect(page.getByText("No requests today")).toBeVisible();
  await page.screenshot({ path: picture("overview-first-run"), fullPage: true });

  const response = await request.post("/api/v1/completions", complete("sandbox/chat"));
  expect(response.status()).toBe(200);

  await expect(page.getByRole("listitem").filter({ hasText: "First request received" })).toHaveAttribute(
    "data-done",
    "true",
  );
  await expect(page.getByRole("definition").first()).toContainText("1");
  await page.screenshot({ path: picture("overview-first-request"), fullPage: true });
});

test("a served request stands among the latest generations with its provider and exact cost", async ({
  consolePage: page,
  request,
}) => {
  const response = await request.post("/api/v1/completions", complete("sandbox/chat"));
  const { usage } = await response.json();
  await page.goto("/overview");
  const newest = page.getByRole("region", { name: "Latest generations" }).getByRole("row").nth(1);
  await expect(newest).toContainText("sandbox/chat");
  await expect(newest).toContainText("completed");
  const [, shown] = (await newest.getByText("€").textContent())?.split("€") ?? [];
  expect(Number(shown)).toBeCloseTo(usage.cost_eur, 8);
});

test("the chart of the day has a table that tells the same", async ({ consolePage: page }) => {
  await page.goto("/overview");
  const panel = page.getByRole("region", { name: "By hour", exact: true });
  await expect(panel.getByRole("img", { name: /Requests on/ })).toBeVisible();
  await panel.getByText("Table", { exact: true }).click();
  await expect(panel.getByRole("columnheader", { name: "Tokens out" })).toBeVisible();
  await expect(panel.getByRole("row").nth(1)).toContainText("€");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the filled overview, its menus and its palette have no accessibility fault, ${colorScheme}`, async ({
    consolePage: page,
  }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto("/overview");
    await page.getByRole("img", { name: /Requests on/ }).waitFor();
    await page.screenshot({ path: picture(`overview-filled-${colorScheme}`), fullPage: true });
    await expectNoFault(page);
    await page.getByText("Table", { exact: true }).click();
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await expectNoFault(page, { popup: true });
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByPlaceholder("Go to or do…").waitFor();
    await page.screenshot({ path: picture(`palette-${colorScheme}`) });
    await expectNoFault(page, { popup: true });
  });
}

test("a failing server shows what happened with the request id, and the screen comes back", async ({
  cleanPage: page,
  context,
}) => {
  await context.request.post("/api/auth/sign-in/email", {
    headers: { origin: installation.origin },
    data: { email: installation.email, password: installation.password },
  });
  const requestId = "01a1f910-3f65-7fc3-9077-b582f7bf59c6";
  const error = {
    code: "FORBIDDEN",
    message: "Not now",
    type: "permission_error",
    param: null,
    metadata: {},
  };
  await page.route("**/api/trpc/**overview.get**", async (route) => {
    const calls = new URL(route.request().url()).pathname.split(",").length;
    const failed = {
      error: { code: -32603, message: error.message, data: { httpStatus: 403, error, requestId } },
    };
    await route.fulfill({ json: Array.from({ length: calls }, () => failed) });
  });
  await page.goto("/overview");
  await expect(page.getByRole("alert").filter({ hasText: "Not now" })).toContainText(requestId);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("Latest generations")).toBeVisible();
});

test("⌘K goes to a screen and changes the theme without the mouse", async ({ consolePage: page }) => {
  await page.goto("/overview");
  await expect(page.getByText("Latest generations")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByPlaceholder("Go to or do…").fill("api ref");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs");
  await expect(page.getByRole("heading", { name: "Create a text completion" })).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByPlaceholder("Go to or do…").fill("dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
});

test("at 390 px the navigation folds into a menu and nothing is wider than the screen", async ({
  consolePage: page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/overview", "/docs"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.waitForURL("**/overview");
});
