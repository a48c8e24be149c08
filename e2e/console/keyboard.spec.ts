import { shippedDocument } from "#test/shipped-document.ts";
import { expect, test } from "../support/console.ts";
import { startExampleApp } from "../support/example-app.ts";
import { installation } from "../support/installation.ts";
import { press, pressUntil, reach } from "../support/keyboard.ts";
import { startReceiver } from "../support/receiver.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };

// The main task of each screen once without a mouse: nothing is clicked, filled or focused from here.
// They press many keys, and look at the focus after each.
test.describe.configure({ mode: "parallel", timeout: 120_000 });
test.beforeEach(({ consolePage: page }) => page.emulateMedia({ reducedMotion: "reduce" }));

test("a rule is made, and the dry run is seen to change, by keyboard alone", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/routing-rules");
  await press(page, page.getByRole("button", { name: "Create rule" }).first());
  const editor = page.getByRole("dialog", { name: "Create a routing rule" });
  await expect(editor.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
  await page.keyboard.type("Made by keys");
  const ranked = editor.getByRole("list", { name: /Providers of/ }).getByRole("listitem");
  await reach(page, editor.getByLabel("Inference runs in"));
  await page.keyboard.type("the EU");
  await expect(editor.getByLabel("Inference runs in")).toHaveValue("eu");
  await reach(page, editor.getByLabel("Test with"));
  await page.keyboard.type("sandbox/chat");
  await expect(ranked).toHaveCount(2);
  await press(page, editor.getByLabel("Zero data retention"), "Space");
  await expect(ranked).toHaveCount(1);
  await press(page, editor.getByRole("button", { name: "Create", exact: true }));
  await expect(editor).toHaveCount(0);
  const row = page.getByRole("row", { name: /Made by keys/ });
  await expect(row).toContainText("runs in the EU; zero data retention");

  await press(page, row.getByRole("button", { name: /Made by keys/ }).first());
  const rule = page.getByRole("dialog", { name: "Made by keys" });
  await press(page, rule.getByRole("button", { name: "Delete" }));
  const confirm = page.getByRole("dialog", { name: "Delete Made by keys" });
  await reach(page, confirm.getByLabel("Type Made by keys to confirm"));
  await page.keyboard.type("Made by keys");
  await page.keyboard.press("Enter");
  await expect(row).toHaveCount(0);
  const { data } = await (await request.get("/api/v1/routing-rules?include_disabled=1", { headers })).json();
  expect(data.map(({ name }: { name: string }) => name)).not.toContain("Made by keys");
});

test("a preset is made and its code is seen, by keyboard alone", async ({ consolePage: page, request }) => {
  await page.goto("/presets");
  await press(page, page.getByRole("button", { name: "Create preset" }).first());
  const form = page.getByRole("dialog", { name: "Create a preset" });
  await expect(form.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
  await page.keyboard.type("by-keys");
  await reach(page, form.getByRole("textbox", { name: "System prompt" }));
  await page.keyboard.type("Be brief.");
  await reach(page, form.getByRole("combobox", { name: "Add a parameter" }));
  await page.keyboard.type("temp");
  await expect(page.getByRole("option", { name: "temperature" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await reach(page, form.getByRole("spinbutton", { name: "temperature" }), "Shift+Tab");
  await page.keyboard.type("0.5");
  await press(page, form.getByRole("button", { name: "Create", exact: true }));
  await expect(form).toHaveCount(0);
  await press(page, page.getByRole("button", { name: /by-keys/ }));
  const sheet = page.getByRole("dialog", { name: "by-keys" });
  await reach(page, sheet.getByRole("tab", { name: "Settings" }));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(sheet.getByRole("region", { name: "curl code" })).toContainText("@preset/by-keys");
  // An open sheet asks again for what is deleted now, and a slow question for its versions may be on its way.
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await page.waitForLoadState("networkidle");
  expect((await request.delete("/api/v1/presets/by-keys", { headers })).status()).toBe(200);
});

test("a destination is added, tried and watched by keyboard alone", async ({
  consolePage: page,
  request,
}) => {
  const receiver = await startReceiver();
  try {
    await page.goto("/destinations");
    await press(page, page.getByRole("button", { name: "Add destination" }).first());
    const sheet = page.getByRole("dialog");
    await reach(page, sheet.getByLabel("Search"));
    await page.keyboard.type("webhook");
    await press(page, sheet.getByRole("button", { name: /^Webhook/ }));
    await reach(page, sheet.getByRole("textbox", { name: /^Name/ }));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Reached by keys");
    await reach(page, sheet.getByLabel("Address"));
    await page.keyboard.type(receiver.url);
    await press(page, sheet.getByRole("button", { name: "Test" }));
    await expect(sheet.getByText("Test succeeded")).toBeVisible();
    await press(page, sheet.getByRole("button", { name: "Create", exact: true }));
    await expect(sheet).toHaveCount(0);

    const sent = await request.post("/api/v1/completions", {
      headers,
      data: { model: "sandbox/chat", prompt: "Traced", max_tokens: 4 },
    });
    expect(sent.status()).toBe(200);
    await press(page, page.getByRole("button", { name: /Reached by keys/ }).first());
    await expect(sheet.getByText("Delivered").first()).toBeVisible({ timeout: 25_000 });
    await page.keyboard.press("Escape");
    await expect(sheet).toHaveCount(0);
    const enabled = page.getByRole("switch", { name: "Send to Reached by keys" });
    await press(page, enabled, "Space");
    await expect(enabled).not.toBeChecked();
  } finally {
    await receiver.close();
  }
});

test("a key is issued by keyboard alone, and calls", async ({ consolePage: page, request }) => {
  await page.goto("/keys");
  await press(page, page.getByRole("button", { name: "Create key" }));
  const dialog = page.getByRole("dialog");
  await reach(page, dialog.getByLabel("Name"));
  await page.keyboard.type("Issued by keys");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("You will not see this key again")).toBeVisible();
  const key = (await dialog.getByLabel("API key", { exact: true }).textContent()) ?? "";
  await press(page, dialog.getByRole("button", { name: "I have copied it" }));
  await expect(dialog).toHaveCount(0);
  const answer = await request.post("/api/v1/completions", {
    headers: { authorization: `Bearer ${key}` },
    data: { model: "sandbox/chat", prompt: "Hello", max_tokens: 4 },
  });
  expect(answer.status()).toBe(200);

  await press(page, page.getByRole("button", { name: /^Issued by keys/ }));
  const sheet = page.getByRole("dialog", { name: "Issued by keys", exact: true });
  await press(page, sheet.getByRole("button", { name: "Revoke" }));
  const confirm = page.getByRole("dialog", { name: "Revoke Issued by keys" });
  await reach(page, confirm.getByLabel("Type Issued by keys to confirm"));
  await page.keyboard.type("Issued by keys");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row", { name: /Issued by keys/ })).toHaveCount(0);
});

test("a budget is created, read and deleted by keyboard alone", async ({ consolePage: page }) => {
  await page.goto("/budgets");
  await press(page, page.getByRole("button", { name: "Create budget" }).first());
  const sheet = page.getByRole("dialog", { name: "Create a budget" });
  await expect(sheet.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
  await page.keyboard.type("Set by keys");
  await reach(page, sheet.getByLabel("Measure"));
  await page.keyboard.type("Requests");
  await expect(sheet.getByLabel("Measure")).toHaveValue("requests");
  await reach(page, sheet.getByLabel("Limit in requests"));
  await page.keyboard.type("1000");
  await page.keyboard.press("Enter");
  await expect(sheet).toHaveCount(0);
  const row = page.getByRole("row", { name: /Set by keys/ });
  await expect(row).toContainText("1,000 requests per month for the whole organisation");

  await press(page, row.getByRole("button", { name: /Set by keys/ }));
  const stored = page.getByRole("dialog", { name: "Set by keys", exact: true });
  await press(page, stored.getByRole("button", { name: "Delete" }));
  const confirm = page.getByRole("dialog", { name: "Delete Set by keys" });
  await reach(page, confirm.getByLabel("Type Set by keys to confirm"));
  await page.keyboard.type("Set by keys");
  await page.keyboard.press("Enter");
  await expect(row).toHaveCount(0);
});

test("a channel is added and tested, and a rule about it is created, by keyboard alone", async ({
  consolePage: page,
}) => {
  const receiver = await startReceiver();
  try {
    await page.goto("/alerts/channels");
    await press(page, page.getByRole("button", { name: "Add channel" }).first());
    const sheet = page.getByRole("dialog", { name: "Add a channel" });
    await expect(sheet.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
    await page.keyboard.type("Rung by keys");
    await reach(page, sheet.getByLabel("Type"));
    await page.keyboard.type("Webhook");
    await expect(sheet.getByLabel("Type")).toHaveValue("webhook");
    await reach(page, sheet.getByLabel("Address"));
    await page.keyboard.type(receiver.url);
    await page.keyboard.press("Enter");
    await expect(sheet).toHaveCount(0);
    await press(page, page.getByRole("button", { name: /Rung by keys/ }));
    const stored = page.getByRole("dialog", { name: "Rung by keys" });
    await press(page, stored.getByRole("button", { name: "Send a test" }));
    await expect(stored.getByText("Test succeeded")).toBeVisible();
    expect(receiver.bodies.join()).toContain("alert.test");
    await page.keyboard.press("Escape");
    await expect(stored).toHaveCount(0);

    await page.goto("/alerts");
    await press(page, page.getByRole("button", { name: "Create rule" }).first());
    const editor = page.getByRole("dialog", { name: "Create an alert rule" });
    await expect(editor.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
    await page.keyboard.type("Watched by keys");
    await reach(page, editor.getByLabel("Kind"));
    await page.keyboard.type("Error rate");
    await expect(editor.getByLabel("Kind")).toHaveValue("error_rate");
    await press(page, editor.getByRole("button", { name: "Create", exact: true }));
    await expect(editor).toHaveCount(0);
    await expect(page.getByRole("row", { name: /Watched by keys/ })).toContainText(
      "Error rate · 10 % in 15 min",
    );
  } finally {
    await receiver.close();
  }
});

test("a line of the log is found, walked on from, and asked again by keyboard alone", async ({
  consolePage: page,
  request,
}) => {
  const data = { model: "sandbox/chat", input: "Where is the harbour?", session_id: "log-by-keys" };
  for (const max_output_tokens of [8, 9])
    await request.post("/api/v1/responses", { headers, data: { ...data, max_output_tokens } });

  await page.goto("/logs");
  const find = page.getByRole("textbox", { name: "Search" });
  await pressUntil(page, "/", () => expect(find).toBeFocused({ timeout: 200 }));
  await page.keyboard.type("log-by-keys");
  const table = page.getByRole("table", { name: "Requests" });
  await expect(table.getByRole("row")).toHaveCount(3);
  await press(page, table.locator("[data-row]").first());
  const sheet = page.getByRole("dialog");
  const place = sheet.getByRole("status");
  await expect(place).toHaveText("1 of 2");
  await page.keyboard.press("j");
  await expect(place).toHaveText("2 of 2");
  await press(page, sheet.getByRole("button", { name: "Previous row" }));
  await expect(place).toHaveText("1 of 2");
  await page.keyboard.press("j");
  await expect(place).toHaveText("2 of 2");
  await press(page, sheet.getByRole("link", { name: "Open in playground" }));

  const message = page.getByLabel("Message");
  await expect(message).toHaveValue("Where is the harbour?");
  await expect(page.getByLabel("Max tokens")).toHaveValue("8");
  await reach(page, message);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("group", { name: "How it was served" })).toBeVisible();
});

test("a member is invited by keyboard alone", async ({ consolePage: page }) => {
  await page.goto("/settings/members");
  await press(page, page.getByRole("button", { name: "Invite" }));
  const dialog = page.getByRole("dialog");
  await reach(page, dialog.getByLabel("E-mail"));
  await page.keyboard.type("by-keys@example.eu");
  await reach(page, dialog.getByLabel("Member", { exact: true }));
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByLabel("Viewer")).toBeChecked();
  await press(page, dialog.getByRole("button", { name: "Send invitation" }));
  await expect(dialog.getByLabel("Invitation link", { exact: true })).toContainText("/accept-invitation");
  await press(page, dialog.getByRole("button", { name: "I have copied it" }));
  const row = page.getByRole("row", { name: /by-keys@example\.eu/ });
  await expect(row).toContainText("as Viewer");
});

test("an app is allowed by keyboard alone", async ({ consolePage: page }) => {
  const app = await startExampleApp(installation.origin);
  try {
    await page.goto(app.origin);
    await press(page, page.getByRole("button", { name: "Connect" }));
    await reach(page, page.getByLabel("Spending limit in euros"));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("3");
    await press(page, page.getByRole("button", { name: "Allow" }));
    await expect(page).toHaveURL(({ href }) => href.startsWith(`${app.origin}/callback?from=router&code=`));
    await expect(page.locator("#result")).toHaveText('{"status":200,"limit":3,"from":"router"}');
  } finally {
    await app.close();
  }
});

test("a catalogue file is compared, applied and undone by keyboard alone", async ({ consolePage: page }) => {
  await page.goto("/providers/updates");
  await press(page, page.getByRole("button", { name: "Update catalogue" }).first());
  const form = page.getByRole("form", { name: "Catalogue file" });
  const chooser = page.waitForEvent("filechooser");
  await press(page, form.getByRole("button", { name: "File" }));
  await (await chooser).setFiles({
    ...{ name: "by-keys.json", mimeType: "application/json", buffer: Buffer.from(shippedDocument) },
  });
  await press(page, form.getByRole("button", { name: "Compare" }));
  const sheet = page.getByRole("dialog", { name: "by-keys.json" });
  await expect(sheet.getByText("No differences from the catalogue in use")).toBeVisible();
  await press(page, sheet.getByRole("button", { name: "Apply update" }));
  const row = page.getByRole("row", { name: /by-keys.json/ });
  await expect(row).toContainText("In use");
  await press(page, row.getByRole("button"));
  await press(page, sheet.getByRole("button", { name: "Undo update" }));
  await expect(row).toContainText("Undone");
});
