import { expect, picture, signIn, test } from "../support/console.ts";
import { installation, runFresh } from "../support/installation.ts";
import { openPalette } from "../support/keyboard.ts";

const complete = ({ apiKey } = installation) => ({
  headers: { authorization: `Bearer ${apiKey}` },
  data: { model: "sandbox/chat", prompt: "Say hello from the sea", max_tokens: 32 },
});

test("the checklist turns green by itself when the first request was served", async ({
  cleanPage: page,
  request,
}) => {
  const fresh = await runFresh();
  try {
    await signIn(page, fresh);
    await page.goto(`${fresh.origin}/overview`);
    await expect(page.getByText("Waiting for your first request…")).toBeVisible();
    await expect(page.getByText("API key created")).toBeVisible();
    await expect(page.getByRole("region", { name: "request", exact: true })).toContainText(
      `${fresh.origin}/api/v1/completions`,
    );
    await expect(page.getByText(/New requests appear here automatically/)).toBeVisible();
    await page.screenshot({ path: picture("overview-first-run"), fullPage: true });

    const response = await request.post(`${fresh.origin}/api/v1/completions`, complete(fresh));
    expect(response.status()).toBe(200);

    await expect(page.getByRole("listitem").filter({ hasText: "First request received" })).toHaveAttribute(
      "data-done",
      "true",
    );
    await expect(page.getByRole("definition").first()).toContainText("1");
    await page.screenshot({ path: picture("overview-first-request"), fullPage: true });
  } finally {
    await fresh.stop();
  }
});

test("a request is among the latest generations with its provider and exact cost", async ({
  consolePage: page,
  request,
}) => {
  const response = await request.post("/api/v1/completions", complete());
  const { usage } = await response.json();
  await page.goto("/overview");
  const newest = page.getByRole("region", { name: "Latest requests" }).getByRole("row").nth(1);
  await expect(newest).toContainText("sandbox/chat");
  await expect(newest).toContainText("completed");
  const [, shown] = (await newest.getByText("€").textContent())?.split("€") ?? [];
  expect(Number(shown)).toBeCloseTo(usage.cost_eur, 8);
});

test("the chart has a table with the same data", async ({ consolePage: page, request }) => {
  await request.post("/api/v1/completions", complete());
  await page.goto("/overview");
  const panel = page.getByRole("region", { name: "Over time", exact: true });
  await expect(panel.getByRole("img", { name: /Requests over time/ })).toBeVisible();
  await panel.getByText("Table", { exact: true }).click();
  await expect(panel.getByRole("columnheader", { name: "Stopped early" })).toBeVisible();
  await panel.getByText("EUR", { exact: true }).click();
  await expect(panel.getByRole("row").nth(1)).toContainText("€");
});

test("a failing server shows what happened with the request id, and the screen comes back", async ({
  consolePage: page,
}) => {
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
  await expect(page.getByText("Latest requests")).toBeVisible();
});

test("⌘K goes to a screen and changes the theme without the mouse", async ({ consolePage: page }) => {
  await page.goto("/overview");
  await expect(page.getByText("Latest requests")).toBeVisible();
  await (await openPalette(page)).fill("api ref");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/docs\/reference$/);
  await expect(page.getByRole("heading", { name: "Create a text completion" })).toBeVisible();
  await (await openPalette(page)).fill("dark");
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
  await expect(page).toHaveURL(/\/overview$/);
});
