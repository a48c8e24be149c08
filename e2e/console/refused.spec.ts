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
