import { readFileSync } from "node:fs";
import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, signInOnce, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { openPalette } from "../support/keyboard.ts";

const ask = (session: string) => ({
  headers: { authorization: `Bearer ${installation.apiKey}`, "x-title": "Finder" },
  data: { model: "sandbox/chat", prompt: "Say hello", max_tokens: 8, session_id: session, user: "ada-17" },
});

test("a request is found by its session in the palette, and is offered again", async ({
  consolePage: page,
  request,
}) => {
  await request.post("/api/v1/completions", ask("session-to-find"));
  await page.goto("/settings");
  await openPalette(page);
  await page.getByLabel("Search commands").fill("session-to-find");
  await page.getByRole("button", { name: /^sandbox\/chat, / }).click();
  await expect(page).toHaveURL(/\/logs\?open=[0-9a-f-]{36}$/);
  await expect(page.getByRole("dialog").getByText("session-to-find")).toBeVisible();
  await page.keyboard.press("Escape");
  await openPalette(page);
  await expect(page.getByRole("button", { name: /^sandbox\/chat, / })).toBeVisible();
});

test("the diagram of the overview leads to the requests of a provider", async ({
  consolePage: page,
  request,
}) => {
  await request.post("/api/v1/completions", ask("session-of-flow"));
  await page.goto("/overview");
  const panel = page.getByRole("region", { name: "Where requests went", exact: true });
  await panel
    .getByRole("link", { name: /^(Germany|France|United States): / })
    .first()
    .waitFor();
  await page.screenshot({ path: picture("overview-flows"), fullPage: true });
  await panel
    .getByRole("link", { name: /^sandbox-/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/logs\?range=24h&provider=sandbox-/);
  await expect(page.getByRole("row", { name: /sandbox\/chat/ }).first()).toBeVisible();
});

test("the log is narrowed to an end user, sorted, exported, and saved as a view", async ({
  consolePage: page,
  request,
}) => {
  await request.post("/api/v1/completions", ask("session-to-export"));
  await page.goto("/logs");
  await page
    .getByRole("row", { name: /sandbox\/chat/ })
    .first()
    .waitFor();
  await page.getByLabel("Add a filter").selectOption("End user");
  await page.getByLabel("End user").fill("ada-17");
  await page.getByRole("button", { name: "Cost" }).click();
  await expect(page).toHaveURL(/user=ada-17/);
  await expect(page).toHaveURL(/sort=-cost/);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "App" }).check();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("cell", { name: "Finder" }).first()).toBeVisible();
  await expectNoFault(page);
  await page.getByRole("button", { name: "Export" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV" }).click();
  const file = await (await saving).path();
  const [head, ...rows] = readFileSync(file, "utf8").trim().split("\n");
  expect(head).toContain("user_reference");
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toContain("ada-17");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Name of the view").fill("Ada");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.goto("/logs");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Ada", exact: true }).click();
  await expect(page.getByLabel("End user")).toHaveValue("ada-17");
  await expect(page.getByRole("columnheader", { name: "App" })).toBeVisible();
});

test("without a connection the page stays, and a banner says so until the server answers", async ({
  page,
}) => {
  // Not `consolePage`: what cannot be loaded without a connection would be a complaint.
  await signInOnce(page);
  await page.goto("/budgets");
  await page.getByRole("heading", { name: "Budgets", level: 1 }).waitFor();
  const create = page.getByRole("button", { name: "Create budget" }).first();
  await create.waitFor();
  await page.context().setOffline(true);
  await expect(page.getByText("No connection to the server")).toBeVisible();
  await page.getByRole("link", { name: "Alerts" }).click();
  await expect(page.getByRole("heading", { name: "Budgets", level: 1 })).toBeVisible();
  // The script of the dialog is not loaded yet: it comes with the connection.
  const failed = (part: string) => page.waitForEvent("requestfailed", (asked) => asked.url().includes(part));
  const unloaded = failed("/_next/static/chunks/");
  await create.click();
  await unloaded;
  // The browser has given up by the time the server is asked again.
  await failed("/health/live");
  await expect(page.getByRole("heading", { name: "Budgets", level: 1 })).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("No connection to the server")).toHaveCount(0);
  await expect(page.getByRole("dialog", { name: "Create a budget" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Alerts" }).click();
  await expect(page).toHaveURL(/\/alerts$/);
});

test("a click stays on the page if the server has just stopped, which nobody has noticed yet", async ({
  page,
}) => {
  await signInOnce(page);
  await page.goto("/presets");
  await page.getByRole("heading", { name: "Presets", level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.route("**/*", (route) => route.abort());
  // The server is taken to be there for two seconds after an answer.
  const since = await page.evaluate(() => performance.now());
  await page.waitForFunction((from) => performance.now() - from > 2_200, since);
  await page.getByRole("link", { name: "Alerts" }).click();
  await expect(page.getByText("No connection to the server")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Presets", level: 1 })).toBeVisible();
  await page.unroute("**/*");
  await expect(page.getByText("No connection to the server")).toHaveCount(0);
  await page.getByRole("link", { name: "Alerts" }).click();
  await expect(page).toHaveURL(/\/alerts$/);
});

test("times are shown in the chosen time zone", async ({ consolePage: page, request }) => {
  await request.post("/api/v1/completions", ask("session-of-zone"));
  await page.goto("/logs?find=session-of-zone");
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: /^Time zone/ }).click();
  await page.getByLabel("Show times in").selectOption("Asia/Tokyo");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByRole("row", { name: /sandbox\/chat/ })
    .first()
    .click();
  await expect(page.getByRole("row", { name: /^Started/ })).toContainText(/GMT\+9|JST/);
});
