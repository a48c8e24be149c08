import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const endpoint = "sandbox-de:sandbox/embed";

test("the price history of an endpoint is reached from its model, and shows what changed", async ({
  consolePage: page,
  request,
}) => {
  const price = { currency: "USD", input: "0.75", output: "0", source: "The letter of November" };
  const imported = await request.post("/api/v1/prices", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    data: {
      schema: "portolan-prices/1",
      prices: [{ endpoint, valid_from: "2099-01-01T00:00:00Z", price }],
    },
  });
  expect(imported.status()).toBe(200);

  await page.goto("/models?open=sandbox%2Fembed");
  await page.getByRole("link", { name: `Price history of ${endpoint}` }).click();
  await expect(page).toHaveURL(/\/models\/prices/);
  const rows = page.getByRole("table", { name: "Prices" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText("Scheduled");
  await expect(rows.nth(1)).toContainText("$0.75");
  await expect(rows.nth(1)).toContainText("Currency EUR → USD");
  await expect(rows.nth(1)).toContainText("The letter of November");
  await expect(rows.nth(2)).toContainText("Current");
  const chart = page.getByRole("region", { name: "In euros" });
  await expect(chart.getByRole("img", { name: /^Prices of/ })).toBeVisible();
  await chart.getByText("Table", { exact: true }).click();
  await expect(chart.getByRole("row")).toHaveCount(3);
  await chart.getByText("Chart", { exact: true }).click();
  for (const [colorScheme, width] of [
    ["light", 1440],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: picture(`prices-${colorScheme}-${width}`) });
    await expectNoFault(page);
  }
});

test("every price of a provider is one step from its sheet, by keyboard", async ({ consolePage: page }) => {
  await page.goto("/providers?open=sandbox-fr");
  await page.getByRole("link", { name: "Price history of sandbox-fr:sandbox/chat" }).press("Enter");
  await expect(page.getByText("Initial price")).toBeVisible();
  await page.getByRole("link", { name: "Other providers" }).press("Enter");
  await expect(page.getByText("Prices exclude VAT")).toBeVisible();
});
