import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("a refused request is found with every provider's reason, and what would let it in", async ({
  consolePage: page,
  request,
}) => {
  const response = await request.post("/api/v1/completions", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, provider: { data_residency: "at" } },
  });
  expect(response.status()).toBe(503);
  const { requestId } = await response.json();

  await page.goto("/logs");
  await page.getByRole("navigation", { name: "Logs" }).getByRole("link", { name: "Refused" }).click();
  await expect(page.getByPlaceholder("Request ID", { exact: true })).toBeVisible();
  await page.getByRole("textbox", { name: "Search" }).fill(requestId);
  const row = page.getByRole("row", { name: /No provider meets the rules for this request: data residency/ });
  // It is written down within seconds, and the list asks again.
  await expect(row).toBeVisible({ timeout: 30_000 });
  await row.getByRole("button").click();
  const sheet = page.getByRole("dialog");
  const out = sheet.getByRole("list", { name: "Excluded" }).getByRole("listitem");
  await expect(out.first()).toContainText("not in Austria; set by the request");
  await expect(out.first()).toContainText("To allow it: set “data residency” to");
  await expect(sheet.getByText(requestId)).toBeVisible();
  await look(page, "refused");
});

test("a refusal leads to its rule with the change filled in, and the rule's history leads back", async ({
  consolePage: page,
  request,
}) => {
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  const made = await request.post("/api/v1/routing-rules", {
    headers,
    data: { name: "Only in Austria", scope: "org", provider: { data_residency: "at" } },
  });
  const { id } = (await made.json()).data;
  try {
    const refused = await request.post("/api/v1/completions", {
      headers,
      data: { model: "sandbox/chat", prompt: "Hello", max_tokens: 4 },
    });
    const { requestId } = await refused.json();
    await page.goto(`/logs/refused?find=${requestId}`);
    const row = page.getByRole("row", { name: /data residency/ }).first();
    await expect(row).toBeVisible({ timeout: 30_000 });
    await row.getByRole("button").first().click();
    await page.getByRole("link", { name: "Try this in “Only in Austria”" }).first().click();
    const editor = page.getByRole("dialog", { name: "Only in Austria" });
    await expect(editor.getByText("A change is filled in")).toBeVisible();
    await expect(editor.getByRole("region", { name: "Dry run" })).toContainText("can be served");
    await look(page, "suggested change");
    await editor.getByRole("button", { name: "Save" }).click();
    await expect(editor).toHaveCount(0);
    await expect(page).toHaveURL(/\/routing-rules$/);

    await page.goto(`/routing-rules?edit=${id}`);
    await editor.getByRole("tab", { name: "History" }).click();
    await expect(editor.getByText("data_residency: at →")).toBeVisible();
    await look(page, "rule history");
    await editor.getByRole("button", { name: /^Fill in the state/ }).click();
    await expect(editor.getByLabel("Inference runs in")).toHaveValue("at");
  } finally {
    await request.delete(`/api/v1/routing-rules/${id}`, { headers });
  }
});
