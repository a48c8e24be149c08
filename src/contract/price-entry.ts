import type { z } from "zod";
import { day, factor, figure, oneOf, strict, text, tokens } from "./catalogue-values.ts";
import { list } from "./list.ts";

const TierEntry = strict({
  above_input_tokens: tokens.describe(
    "Number of input tokens above which the tier applies to the whole request.",
  ),
  input_factor: factor.describe("Factor on the input price, as a decimal string."),
  output_factor: factor.describe("Factor on the output price, as a decimal string."),
  cached_input_factor: factor
    .optional()
    .describe("Factor on the price of cached input, as a decimal string; `input_factor` if omitted."),
  cache_write_factor: factor
    .optional()
    .describe("Factor on the prices of cache writes, as a decimal string; `input_factor` if omitted."),
});

const priceOf = (what: string, missing: string) =>
  figure.nullable().default(null).describe(`${what}, as a decimal string; null if ${missing}.`);

/** List prices without VAT. */
export const PriceEntry = strict({
  currency: oneOf(["USD", "EUR"]).describe("Currency of all prices in this object, which exclude VAT."),
  input: priceOf("Price of a million input tokens", "tokens are not charged"),
  output: priceOf("Price of a million output tokens", "tokens are not charged"),
  cached_input: priceOf(
    "Price of a million input tokens read from the provider's cache",
    "it equals `input`",
  ),
  cache_write: priceOf(
    "Price of a million input tokens written to the provider's cache",
    "it equals `input`",
  ),
  cache_write_1h: figure
    .nullish()
    .describe(
      "Price of a million input tokens cached for an hour, as a decimal string. If omitted or null, twice `input` when `cache_write` is set, else `input`.",
    ),
  reasoning: priceOf("Price of a million reasoning tokens", "it equals `output`"),
  per_request: priceOf("Price of one request on top of its tokens", "there is none"),
  per_1k_searches: priceOf("Price of a thousand search units of rerank requests", "there is none"),
  region_uplift: factor
    .optional()
    .describe("Factor on every price for processing in one region, as a decimal string such as `1.1`."),
  tiers: list(TierEntry)
    .max(20, "may hold 20 tiers at most")
    .default([])
    .describe("Different prices for requests with many input tokens, at most 20 tiers."),
  source: text
    .nullable()
    .default("operator")
    .describe("Where the price is published; `operator` if omitted."),
  as_of: day.nullable().default(null).describe("Date on which the price was checked, such as `2026-11-20`."),
  expires_at: day
    .nullable()
    .default(null)
    .describe(
      "Last day on which the price applies; after it the endpoint has no known price. Null for no end.",
    ),
  note: text.optional().describe("Comment that is stored with the price."),
})
  .refine((price) => (price.input === null) === (price.output === null), {
    error: 'needs both input and output ("0" for what costs nothing)',
  })
  .refine((price) => price.input !== null || price.per_request !== null || price.per_1k_searches !== null, {
    error: "needs input and output, per_request or per_1k_searches; leave price out when it is unknown",
  });
export type PriceEntry = z.infer<typeof PriceEntry>;
