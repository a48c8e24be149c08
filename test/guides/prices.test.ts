import { expect, test } from "vitest";
import { PriceImport } from "#contract/price-book.ts";
import { loadCatalogue } from "#server/catalog/index.ts";
import { providerKinds } from "#server/inference/index.ts";
import { codeBlocks, readDocument } from "./guide.ts";

test("docs/billing.md: the price file is valid, and its endpoint is in the shipped catalogue", () => {
  const billing = readDocument("docs/billing.md");
  const [file = ""] = codeBlocks(billing, "json");
  const { prices } = PriceImport.parse(JSON.parse(file));
  const { endpoints } = loadCatalogue({ kinds: providerKinds });
  for (const { endpoint } of prices) {
    expect(endpoints.has(endpoint), endpoint).toBe(true);
    expect(codeBlocks(billing, "sh").join()).toContain(`prices show ${endpoint}\n`);
  }
});
