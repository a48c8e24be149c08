import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { openPalette, toFirstRow } from "../support/keyboard.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };

/** Rules bind the requests of other tests: none may stay. */
test.afterEach(async ({ page, request }) => {
  // It may still ask for what is deleted here, which would be an error in its log.
  await page.close();
  const rules = await (await request.get("/api/v1/routing-rules?include_disabled=1", { headers })).json();
  for (const { id } of rules.data) await request.delete(`/api/v1/routing-rules/${id}`, { headers });
});

test("the dry run follows the form, and a created rule routes, is switched off, undone, and deleted by name", async ({
  consolePage: page,
  request,
}) => {
  const served = async () =>
    (
      await request.post("/api/v1/completions", {
        headers,
        data: { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, provider: { sort: "price" } },
      })
    ).headers()["x-provider-slug"];
  expect(await served()).toBe("sandbox-us");

  await page.goto("/routing-rules");
  await expect(page.getByText("No routing rules yet")).toBeVisible();
  await page.getByRole("button", { name: "Create rule" }).first().click();
  const editor = page.getByRole("dialog");
  const dryRun = editor.getByRole("region", { name: "Dry run" });
  await editor.getByLabel("Test with").selectOption("sandbox/chat");
  await expect(dryRun.getByRole("list", { name: /Providers of/ }).getByRole("listitem")).toHaveCount(3);

  const parameters = editor.getByRole("combobox", { name: "Parameters of the request" });
  await parameters.fill("json schema");
  await editor
    .page()
    .getByRole("option", { name: /structured_outputs/ })
    .click();
  await expect(dryRun.getByRole("list", { name: /Providers of/ }).getByRole("listitem")).toHaveText(
    Array.from({ length: 3 }, () => /Sent: structured_outputs$/),
  );
  await expectNoFault(page, { popup: true });
  await parameters.press("Backspace");

  await editor.getByRole("textbox", { name: "Name", exact: true }).fill("Stay in the EU");
  await editor.getByLabel("Inference runs in").selectOption("eu");
  await expect(dryRun.getByRole("list", { name: /Providers of/ }).getByRole("listitem")).toHaveCount(2);
  const out = dryRun.getByRole("list", { name: /Excluded/ }).getByRole("listitem");
  await expect(out).toContainText("it runs in United States, not in the EU; set by this rule");
  await expect(out).toContainText("To allow it: remove “data residency”");
  await editor.getByLabel("EU-owned providers only").click();
  await editor.getByLabel("Maximum retention (days)").fill("0");
  await expect(dryRun.getByRole("list", { name: /Providers of/ }).getByRole("listitem")).toHaveText([
    /^sandbox-frFrance · .* · retention: not stored$/,
  ]);
  await page.screenshot({ path: picture("rules-editor") });
  await expectNoFault(page, { popup: true });
  await editor.getByRole("tab", { name: "Past traffic" }).click();
  await editor.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(editor.getByRole("row", { name: /Rerouted/ })).toBeVisible();
  await expectNoFault(page, { popup: true });
  await editor.getByText("Map", { exact: true }).click();
  await expect(editor.getByText("Map of the countries, after", { exact: true })).toBeAttached();
  await page.screenshot({ path: picture("rules-map") });
  await expectNoFault(page, { popup: true });
  await editor.getByRole("button", { name: "Create", exact: true }).click();
  await expect(editor).toHaveCount(0);
  expect(await served()).toBe("sandbox-fr");

  const row = page.getByRole("row", { name: /Stay in the EU/ });
  await expect(row).toContainText("runs in the EU; EU-owned only; zero data retention");
  // The track lies over the input.
  await row.getByRole("switch").click({ force: true });
  await expect(row.getByRole("switch")).not.toBeChecked();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row.getByRole("switch")).toBeChecked();
  await expect.poll(served).toBe("sandbox-fr");

  await row.getByText("Stay in the EU").click();
  await editor.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete Stay in the EU" });
  await confirm.getByLabel("Type Stay in the EU to confirm").fill("Stay in the EU");
  await confirm.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No routing rules yet")).toBeVisible();
});

test("a rule with an order of providers is made by keyboard alone", async ({ consolePage: page }) => {
  await page.goto("/routing-rules");
  await expect(page.getByRole("heading", { name: "Routing rules" })).toBeVisible();
  await openPalette(page);
  await page.keyboard.type("create a routing");
  await page.keyboard.press("Enter");
  const editor = page.getByRole("dialog", { name: "Create a routing rule" });
  await expect(editor.getByRole("textbox", { name: "Name", exact: true })).toBeFocused();
  await page.keyboard.type("By keyboard");

  const add = editor.getByLabel("Add a provider to the order");
  for (const slug of ["sandbox-de", "sandbox-fr"]) {
    await add.focus();
    await add.selectOption(slug);
  }
  const order = editor.getByRole("group", { name: "Provider order" }).getByRole("listitem");
  await expect(order).toHaveText([/sandbox-de/, /sandbox-fr/]);
  await editor.getByRole("button", { name: "Move sandbox-fr", exact: true }).focus();
  // What a screen reader is announcement is what a person waits for before the next key.
  const announcement = page.getByText(/^Draggable item sandbox-fr/);
  await page.keyboard.press("Space");
  await expect(announcement).toHaveText(/over droppable area sandbox-fr/);
  await page.keyboard.press("ArrowUp");
  await expect(announcement).toHaveText(/over droppable area sandbox-de/);
  await page.keyboard.press("Space");
  await expect(order).toHaveText([/sandbox-fr/, /sandbox-de/]);

  await editor.getByLabel("Test with").selectOption("sandbox/chat");
  const ranked = editor.getByRole("list", { name: /Providers of/ }).getByRole("listitem");
  await expect(ranked).toHaveText([/^sandbox-fr/, /^sandbox-de/, /^sandbox-us/]);
  await editor.getByRole("textbox", { name: "Name", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(editor).toHaveCount(0);
  await expect(page.getByRole("row", { name: /By keyboard/ })).toBeVisible();
  await toFirstRow(page);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "By keyboard" })).toBeVisible();
});

test("rules go out as a file and come back through a plan", async ({ consolePage: page, request }) => {
  const data = { name: "Kept in a file", scope: "org", provider: { data_residency: "eea" } };
  expect((await request.post("/api/v1/routing-rules", { headers, data })).status()).toBe(201);
  await page.goto("/routing-rules?sheet=transfer");
  const sheet = page.getByRole("dialog");
  const downloading = page.waitForEvent("download");
  await sheet.getByRole("button", { name: "Export" }).click();
  const path = await (await downloading).path();
  await page.locator("input[type=file]").setInputFiles({
    name: "rules.json",
    mimeType: "application/json",
    buffer: Buffer.from(
      JSON.stringify({
        format: "portolan-rules/1",
        rules: [
          { ...data, provider: { data_residency: "eu" } },
          { name: "New one", scope: "org", provider: { zdr: true } },
        ],
      }),
    ),
  });
  const plan = sheet.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText("Create New one: zero data retention");
  await expect(plan).toContainText("Change Kept in a file: provider");
  await expectNoFault(page, { popup: true });
  await plan.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("row", { name: /New one/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Kept in a file/ })).toContainText("runs in the EU");

  await page.goto("/routing-rules?sheet=transfer");
  await page.locator("input[type=file]").setInputFiles(path);
  await plan.getByLabel(/Also delete the 1/).click();
  await expect(plan).toContainText("Delete New one");
  await plan.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("row", { name: /New one/ })).toHaveCount(0);
});

test("the first steps restrict requests to the EU with one click, and undo it with another", async ({
  consolePage: page,
}) => {
  await page.goto("/routing-rules");
  await page.getByRole("button", { name: "EU only" }).click();
  await expect(page.getByRole("row", { name: /EU only/ })).toContainText("runs in the EU");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("No routing rules yet")).toBeVisible();
});

test("a rule of the organisation may be limited to a workspace, and list and JSON show which one", async ({
  consolePage: page,
  request,
}) => {
  const made = async (path: string, data: object) =>
    (await request.post(`/api/v1${path}`, { headers, data })).json();
  const { data: workspace } = await made("/workspaces", { name: "Sales" });
  const { key, data: inSales } = await made("/keys", { name: "Of sales", workspace_id: workspace.id });
  const servedWith = async (authorization: string) => {
    const data = { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, provider: { sort: "price" } };
    const answer = await request.post("/api/v1/completions", { headers: { authorization }, data });
    return answer.headers()["x-provider-slug"];
  };

  await page.goto("/routing-rules");
  await page.getByRole("button", { name: "Create rule" }).first().click();
  const editor = page.getByRole("dialog");
  await editor.getByRole("textbox", { name: "Name", exact: true }).fill("Sales stays in France");
  await editor.getByLabel("Limit to workspace").selectOption("Sales");
  await editor.getByLabel("Inference runs in").selectOption("eu");
  await editor.getByLabel("Maximum retention (days)").fill("0");
  await editor.getByText("JSON", { exact: true }).click();
  await expect(editor.getByLabel("The rule as JSON")).toHaveValue(new RegExp(workspace.id));
  await editor.getByRole("button", { name: "Create", exact: true }).click();
  const row = page.getByRole("row", { name: /Sales stays in France/ });
  await expect(row).toContainText("OrganisationSales");
  await expect.poll(() => servedWith(`Bearer ${key}`)).toBe("sandbox-fr");
  expect(await servedWith(headers.authorization)).toBe("sandbox-us");

  await row.getByText("Sales stays in France").click();
  await expect(editor.getByLabel("Limit to workspace")).toHaveValue(workspace.id);
  await expect(editor.getByLabel("Limit to workspace")).toBeDisabled();
  await page.screenshot({ path: picture("rules-in-a-workspace") });
  await request.delete(`/api/v1/keys/${inSales.id}`, { headers });
  await request.delete(`/api/v1/workspaces/${workspace.id}`, { headers });
});

test("JSON that is no rule is not saved, does not give way to the form and is not left without asking", async ({
  consolePage: page,
}) => {
  await page.goto("/routing-rules");
  await page.getByRole("button", { name: "Create rule" }).first().click();
  const editor = page.getByRole("dialog", { name: "Create a routing rule" });
  await editor.getByText("JSON", { exact: true }).click();
  const [text, create] = [
    editor.getByLabel("The rule as JSON"),
    editor.getByRole("button", { name: "Create" }),
  ];
  await text.fill('{ "name": "Half written", "scope": "user" }');
  await expect(create).toBeEnabled();
  await text.fill('{ "name": "Half written", "scope": ');
  await expect(editor.getByRole("alert")).toHaveText("This is not valid JSON.");
  await expect(create).toBeDisabled();
  await expect(editor.getByRole("radio", { name: "Form" })).toBeDisabled();
  await text.fill('{ "name": 7, "scope": "user" }');
  await expect(editor.getByRole("alert")).toContainText("name: ");
  await expect(create).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(editor).toHaveCount(0);
  await expect(page.getByText("Half written")).toHaveCount(0);
});
