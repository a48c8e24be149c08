import { run } from "../../scripts/verify.mjs";
import { expectNoFault } from "../support/accessibility.ts";
import { expect, look, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { pressUntil, toFirstRow } from "../support/keyboard.ts";

const complete = (session: string, more: object = {}) => ({
  headers: { authorization: `Bearer ${installation.apiKey}` },
  data: { model: "sandbox/chat", prompt: "Say hello", max_tokens: 8, session_id: session, ...more },
});

test("a request is found by its session, and its sheet shows its route, the reasons and the cost", async ({
  consolePage: page,
  request,
}) => {
  const wanted = await request.post(
    "/api/v1/completions",
    complete("logs-wanted", { provider: { data_residency: "fr" } }),
  );
  expect(wanted.status()).toBe(200);
  const { usage } = await wanted.json();
  await request.post("/api/v1/completions", complete("logs-other"));

  await page.goto("/logs");
  const table = page.getByRole("table", { name: "Requests" });
  const search = page.getByRole("textbox", { name: "Search" });
  await pressUntil(page, "/", () => expect(search).toBeFocused({ timeout: 200 }));
  await page.keyboard.type("logs-wanted");
  await expect(page).toHaveURL(/\/logs\?find=logs-wanted$/);
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await table.getByRole("row").nth(1).getByText("completed").click();

  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("region", { name: "Attempts" })).toContainText("sandbox-fr:sandbox/chat");
  await expect(sheet.getByText(wanted.headers()["x-request-id"] ?? "no id")).toBeVisible();
  await page.screenshot({ path: picture("logs-sheet") });
  await expectNoFault(page, { popup: true });
  await sheet.getByRole("tab", { name: "Routing" }).click();
  await expect(sheet.getByRole("row", { name: /sandbox-us/ })).toContainText("it runs in United States");
  await sheet.getByRole("button", { name: "Replay decision" }).click();
  await expect(sheet.getByText("The decision is reproduced")).toBeVisible();
  await expect(sheet.getByRole("list", { name: "Excluded then: sandbox/chat" })).toContainText("sandbox-us");
  await expect(sheet.getByText("sandbox-fr:sandbox/chat may still serve it.")).toBeVisible();
  await sheet.getByText("It would be served today").scrollIntoViewIfNeeded();
  await page.screenshot({ path: picture("logs-replay") });
  await expectNoFault(page, { popup: true });
  await sheet.getByRole("tab", { name: "Cost" }).click();
  const charged = await sheet.getByRole("row", { name: /^Charged €/ }).textContent();
  expect(Number(charged?.split("€")[1])).toBeCloseTo(usage.cost_eur, 11);
  await sheet.getByRole("tab", { name: "JSON" }).click();
  await expect(sheet.getByLabel("JSON of the request", { exact: true })).toContainText(
    '"session_id": "logs-wanted"',
  );

  await page.reload();
  await expect(sheet).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
});

test("filters are in the address, a filter without results says so, and clearing shows everything again", async ({
  consolePage: page,
  request,
}) => {
  await request.post("/api/v1/completions", complete("logs-filters"));
  await page.goto("/logs?status=completed&model=sandbox%2Fchat");
  // A row with words in it: skeletons stand there before the filters listen.
  const rows = page.getByRole("table", { name: "Requests" }).getByRole("row", { name: /sandbox\/chat/ });
  await expect(rows.first()).toBeVisible();
  await page.getByLabel("Status", { exact: true }).selectOption("failed");
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get("status") === "failed");
  await expect(page.getByText("No results")).toBeVisible();
  await expectNoFault(page);
  await page.getByRole("button", { name: "Remove filter Status" }).click();
  await expect(page).toHaveURL(
    ({ searchParams }) => !searchParams.has("status") && searchParams.has("model"),
  );
  await expect(rows.first()).toBeVisible();
  await page.getByLabel("Status", { exact: true }).selectOption("failed");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL((url) => url.search === "");
  await expect(rows.first()).toBeVisible();
});

test("the log is read by keyboard alone, and while it is live a new request appears by itself", async ({
  consolePage: page,
  request,
}) => {
  await request.post("/api/v1/completions", complete("logs-keyboard"));
  await page.goto("/logs?find=logs-keyboard");
  const table = page.getByRole("table", { name: "Requests" });
  await expect(table.getByRole("row")).toHaveCount(2);
  await toFirstRow(page);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByText("logs-keyboard")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.getByLabel("Live").click();
  await request.post("/api/v1/completions", complete("logs-keyboard"));
  await expect(table.getByRole("row")).toHaveCount(3);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog").getByText("Next row, also")).toBeVisible();
});

test("a sheet of the log walks on to the next row, and what was stored is read and asked again in the playground", async ({
  consolePage: page,
  request,
}) => {
  const session = "logs-replay";
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  const answered = await request.post("/api/v1/responses", {
    headers,
    data: {
      model: "sandbox/chat",
      instructions: "Speak like a sailor",
      input: "Where is the harbour?",
      max_output_tokens: 9,
      provider: { data_residency: "fr" },
      session_id: session,
    },
  });
  expect(answered.status()).toBe(200);
  await request.post("/api/v1/completions", complete(session));

  await page.goto(`/logs?find=${session}`);
  const rows = page.getByRole("table", { name: "Requests" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await rows.nth(1).getByText("completed").click();
  const sheet = page.getByRole("dialog");
  // The newest is the completion, whose content was not stored.
  await sheet.getByRole("tab", { name: "Content" }).click();
  await expect(sheet.getByText("Prompts and answers are kept only for stored responses")).toBeVisible();
  await sheet.getByRole("button", { name: "Next row" }).click();
  await expect(sheet.getByText("Where is the harbour?")).toBeVisible();
  await expect(sheet.getByText((await answered.json()).output_text)).toBeVisible();
  await sheet.getByRole("tab", { name: "Overview" }).click();
  await sheet.getByRole("link", { name: "Open in playground" }).click();

  await expect(page).toHaveURL(/\/playground\?replay=/);
  await expect(page.getByText("The stored request is filled in")).toBeVisible();
  await expect(page.getByLabel("System")).toHaveValue("Speak like a sailor");
  await expect(page.getByLabel("Message")).toHaveValue("Where is the harbour?");
  await expect(page.getByLabel("Max tokens")).toHaveValue("9");
  await expect(page.getByLabel("Other parameters (JSON object)")).toHaveValue(/"data_residency": "fr"/);
  await page.screenshot({ path: picture("playground-replay"), fullPage: true });
  await expectNoFault(page);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("group", { name: "How it was served" })).toContainText("sandbox-fr");
});

test("for a request that was not stored, the playground says what is missing", async ({
  consolePage: page,
  request,
}) => {
  const answered = await request.post("/api/v1/completions", complete("logs-replay-bare"));
  await page.goto(`/logs?open=${answered.headers()["x-generation-id"]}`);
  await page.getByRole("dialog").getByRole("link", { name: "Open in playground" }).click();
  await expect(page.getByText("The prompt of this request was not stored")).toBeVisible();
  await expect(page.getByText("Enter a message")).toBeVisible();
  await page.getByLabel("Prompt").fill("Say hello again");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("button", { name: "Why this provider" })).toBeVisible();
});

test("the receipt of a request is downloaded, and the verifier accepts it", async ({
  consolePage: page,
  request,
}) => {
  const answer = await request.post("/api/v1/completions", complete("logs-receipt"));
  const id = answer.headers()["x-generation-id"]?.slice(-36) ?? "";
  // It is in the log within 5 seconds.
  const { headers } = complete("");
  await expect(async () => {
    expect((await request.get(`/api/v1/generations/${id}/receipt`, { headers })).status()).toBe(200);
  }).toPass();
  await page.goto(`/logs?open=${id}`);
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("tab", { name: "Receipt" }).click();
  const save = sheet.getByRole("button", { name: "Download receipt" });
  await expect(sheet.getByRole("table", { name: /^Facts about sandbox-/ })).toContainText(
    "Inference runs in",
  );
  await page.screenshot({ path: picture("logs-receipt") });
  await expectNoFault(page, { popup: true });
  const download = page.waitForEvent("download");
  await save.click();
  const { code, text } = run([await (await download).path()]);
  expect(code).toBe(0);
  expect(text).toContain("was received by: sandbox-");
  expect(text).toContain('session_id: "logs-receipt"');
});

test("two requests are compared, and only what differs is shown", async ({ consolePage: page, request }) => {
  for (const session of ["compare-one", "compare-two"])
    await (await request.post("/api/v1/completions", complete(session))).text();
  await page.goto("/logs");
  const rows = page.locator("button[data-row]");
  await rows.first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Compare" }).click();
  await expect(page.getByText(/Open another request to compare it/)).toBeVisible();
  await rows.nth(1).click();
  const comparison = page.getByRole("dialog", { name: "Comparison" });
  await expect(
    comparison
      .getByRole("row", { name: /^Started \(differs\)|^Duration \(differs\)|^Session \(differs\)/ })
      .first(),
  ).toBeVisible();
  await expect(comparison.getByRole("row", { name: /^Model / })).toHaveCount(0);
  await comparison.getByRole("switch", { name: "Only differences" }).click();
  await expect(comparison.getByRole("row", { name: /^Model / })).toBeVisible();
  await look(page, "logs-comparison");
});
