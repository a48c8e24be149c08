import type { CatalogueFile } from "#contract/catalogue.ts";
import { shippedCatalogue } from "#test/shipped-document.ts";
import { expect, look, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test.describe.configure({ mode: "serial" });

const priced = ({ endpoints }: CatalogueFile) => {
  const endpoint = endpoints.find(({ price }) => price?.currency === "EUR");
  if (!endpoint?.price) throw new Error("The shipped catalogue has no price in euros");
  return { id: `${endpoint.provider}:${endpoint.model}`, price: endpoint.price };
};

/** The shipped catalogue with a price, a new model and another host. */
function newer(): Buffer {
  const file = shippedCatalogue();
  priced(file).price.input = "77";
  const [model] = file.models;
  if (model) file.models.push({ ...model, id: "lab/new", aliases: [] });
  const provider = file.providers.find(({ base_url }) => base_url?.startsWith("https://"));
  if (provider) provider.base_url = "https://elsewhere.example.eu/v1";
  return Buffer.from(JSON.stringify(file));
}

test("a newer catalogue is compared, applied and undone", async ({ consolePage: page, request }) => {
  await page.goto("/providers");
  await page.getByRole("link", { name: "Update catalogue" }).click();
  const form = page.getByRole("form", { name: "Catalogue file" });
  await form.locator("input[type=file]").setInputFiles({
    ...{ name: "catalogue-2026-12.json", mimeType: "application/json", buffer: newer() },
  });
  await page.screenshot({ path: picture("catalogue-update-form") });
  await form.getByRole("button", { name: "Compare" }).click();

  const sheet = page.getByRole("dialog", { name: "catalogue-2026-12.json" });
  await expect(sheet.getByRole("status").first()).toHaveText("3 differences from the catalogue in use");
  const table = sheet.getByRole("table", { name: "Differences", exact: true });
  await expect(table).toContainText("lab/new");
  await sheet.getByLabel("Kind of difference").selectOption("prices");
  await expect(table).not.toContainText("lab/new");
  await expect(table).toContainText(/→ input 77/);
  await look(page, "catalogue-update");
  const apply = sheet.getByRole("button", { name: "Apply update" });
  await expect(apply).toBeDisabled();
  await sheet.getByLabel("I checked the new hosts").check();
  await apply.click();
  await expect(page.getByText("catalogue-2026-12.json is applied.")).toBeVisible();
  const row = page.getByRole("row", { name: /catalogue-2026-12.json/ });
  await expect(row).toContainText("In use");
  await page.screenshot({ path: picture("catalogue-updates") });

  const prices = await request.get("/api/v1/prices", {
    headers: { authorization: `Bearer ${installation.apiKey}` },
    params: { endpoint: priced(shippedCatalogue()).id },
  });
  expect((await prices.json()).data).toContainEqual(
    expect.objectContaining({ current: true, input: "77.000000000000" }),
  );
  await row.getByRole("button").press("Enter");
  await sheet.getByRole("button", { name: "Undo update" }).press("Enter");
  await expect(page.getByText("catalogue-2026-12.json is undone.")).toBeVisible();
  await expect(row).toContainText("Undone");
});
