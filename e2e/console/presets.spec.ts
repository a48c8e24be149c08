import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };

test.afterEach(async ({ page, request }) => {
  // It may still ask for what is deleted here, which would be an error in its log.
  await page.close();
  const { data } = await (await request.get("/api/v1/presets", { headers })).json();
  for (const { name } of data) await request.delete(`/api/v1/presets/${name}`, { headers });
});

test("a preset is created, used, changed, compared, restored, tried in the playground, and deleted", async ({
  consolePage: page,
  request,
}) => {
  const answered = async () => {
    const response = await request.post("/api/v1/chat/completions", {
      headers,
      data: { model: "@preset/support", messages: [{ role: "user", content: "Hello" }] },
    });
    return { status: response.status(), version: response.headers()["x-portolan-preset"] };
  };
  await page.goto("/presets");
  await page.getByRole("button", { name: "Create preset" }).first().click();
  const form = page.getByRole("dialog", { name: "Create a preset" });
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("support");
  await form.getByRole("textbox", { name: "System prompt" }).fill("You answer customers.\nBe brief.");
  await form.getByLabel("Add a model").selectOption("sandbox/chat");
  await form.getByRole("combobox", { name: "Add a parameter" }).fill("max");
  await page.getByRole("option", { name: "max_tokens" }).click();
  await form.getByRole("spinbutton", { name: "max_tokens" }).fill("40");
  await expect(form.getByText("Fits requests to /chat/completions, /responses and /messages.")).toBeVisible();
  await form.getByRole("button", { name: "Provider preferences" }).click();
  await form.getByLabel("Inference runs in").selectOption("eu");
  await expectNoFault(page, { popup: true });
  await page.screenshot({ path: picture("preset-form-filled") });
  await form.getByRole("button", { name: "Create", exact: true }).click();
  const row = page.getByRole("row", { name: /support/ });
  await expect(row).toContainText("sandbox/chat");
  expect(await answered()).toEqual({ status: 200, version: "support@1" });

  await row.getByRole("button", { name: /support/ }).click();
  const sheet = page.getByRole("dialog", { name: "support" });
  await sheet.getByRole("textbox", { name: "System prompt" }).fill("You answer customers.\nBe polite.");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Version 2 of support is current now.")).toBeVisible();
  expect(await answered()).toEqual({ status: 200, version: "support@2" });

  await row.getByRole("button", { name: /support/ }).click();
  await sheet.getByRole("tab", { name: "Versions" }).click();
  await sheet.getByRole("button", { name: /^Version 1/ }).click();
  const differences = sheet.getByRole("group", { name: "Differences of version 1" });
  await expect(differences.getByText("− Be polite.")).toBeVisible();
  await expect(differences.getByText("+ Be brief.")).toBeVisible();
  await expectNoFault(page, { popup: true });
  await page.screenshot({ path: picture("preset-versions") });
  await sheet.getByRole("button", { name: "Restore version 1" }).click();
  await expect(page.getByText("Version 1 is restored as version 3.")).toBeVisible();
  expect(await answered()).toEqual({ status: 200, version: "support@3" });

  await sheet.getByRole("tab", { name: "Use it" }).click();
  await expect(sheet.getByRole("region", { name: "curl code" })).toContainText("@preset/support");
  await expectNoFault(page, { popup: true });
  await page.screenshot({ path: picture("preset-use") });
  await sheet.getByRole("link", { name: "Open in playground" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Where is my parcel?");
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue("@preset/support");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("group", { name: "How it was served" })).toBeVisible();
  await page.screenshot({ path: picture("preset-playground") });

  await page.goto("/logs?preset=support%403");
  await page
    .getByRole("button", { name: /sandbox\/chat/ })
    .first()
    .click();
  await expect(page.getByRole("link", { name: "support, version 3" })).toBeVisible();
  await page.getByRole("link", { name: "support, version 3" }).click();

  await sheet.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete support" });
  await confirm.getByRole("textbox").fill("support");
  await confirm.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No presets yet")).toBeVisible();
  expect((await answered()).status).toBe(404);
});
