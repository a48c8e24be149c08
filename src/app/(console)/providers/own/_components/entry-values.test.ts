import { describe, expect, test } from "vitest";
import type { Offer } from "#contract/catalogue-view.ts";
import { PriceEntry } from "#contract/price-entry.ts";
import { listPriceOf, priceIn, shownIn, withValues } from "./entry-values.ts";

const amounts = {
  prompt: "1.500000",
  completion: "2.000000",
  cache_read: null,
  request: null,
  searches: null,
};
const offerOf = (price: Partial<NonNullable<Offer["price"]>> | null) => ({
  provider_name: "Lab",
  price: price && {
    ...{ currency: "USD" as const, eur: { ...amounts, prompt: "1.300000" }, usd: amounts },
    ...{ tiers: 0, sources: [], as_of: "2026-11-20", expired: false },
    ...price,
  },
});

describe("a list price", () => {
  test("is what a catalogue file has, in the currency of the provider", () => {
    const price = listPriceOf(offerOf({}));
    expect(price).toEqual({
      ...{ currency: "USD", input: "1.500000", output: "2.000000" },
      ...{ source: "List price of Lab", as_of: "2026-11-20" },
    });
    expect(PriceEntry.safeParse(price).success).toBe(true);
    expect(listPriceOf(offerOf({ currency: "EUR" }))).toMatchObject({ currency: "EUR", input: "1.300000" });
  });

  test.each([
    ["of one request", { request: "0.010000" }, { per_request: "0.010000" }],
    ["of searches", { searches: "2.000000" }, { per_1k_searches: "2.000000" }],
  ])("%s has no price of tokens", (_, more, fields) => {
    const price = listPriceOf(offerOf({ usd: { ...amounts, prompt: "0", completion: "0", ...more } }));
    expect(price).toMatchObject(fields);
    expect(price).not.toHaveProperty("input");
    expect(PriceEntry.safeParse(price).success).toBe(true);
  });

  test("that is unknown is none", () => {
    expect(listPriceOf(offerOf(null))).toBeNull();
  });
});

test("fields are changed and removed beside the others", () => {
  const fields = { id: "own/a", name: "A", context_length: 10 };
  expect(withValues(fields, { name: undefined, context_length: 20 })).toEqual({
    id: "own/a",
    context_length: 20,
  });
  expect(["id", "context_length", "none"].map((name) => shownIn(fields, name))).toEqual(["own/a", "10", ""]);
  expect(priceIn({ price: null })).toBeNull();
  expect(priceIn({ price: { currency: "EUR" } })).toEqual({ currency: "EUR" });
});
