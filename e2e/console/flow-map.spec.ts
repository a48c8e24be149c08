import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("the map of the overview shows the countries of requests, and leads to them by keyboard", async ({
  consolePage: page,
  request,
}) => {
  const response = await request.post("/api/v1/completions", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: {
      ...{ model: "sandbox/chat", prompt: "Hello", max_tokens: 4 },
      provider: { data_residency: "fr" },
    },
  });
  expect(response.status()).toBe(200);
  await page.goto("/overview");
  const panel = page.getByRole("region", { name: "Where requests went", exact: true });
  await panel.getByText("Map", { exact: true }).click();
  await panel.getByRole("link", { name: /^France: / }).waitFor();
  await expect(panel.getByRole("row", { name: /^France/ })).toBeVisible();
  await look(page, "overview-map");
  await panel.getByText("World", { exact: true }).click();
  await panel.getByRole("link", { name: /^France: / }).press("Enter");
  await expect(page).toHaveURL(/\/logs\?range=24h&country=FR/);
  await expect(page.getByRole("row", { name: /sandbox\/chat/ }).first()).toBeVisible();
});
