import { z } from "zod";
import { Citation } from "./catalogue-view.ts";
import { AskedTime, dataList, Paging, Timestamp, wanted } from "./common.ts";
import { list } from "./list.ts";
import { PriceEntry } from "./price-entry.ts";

const anEndpoint = wanted(
  'provider:model or provider/variant:model, such as "mistral:mistralai/mistral-large"',
);
const EndpointId = z
  .string(anEndpoint)
  .regex(/^[^:\s]+:\S+$/, anEndpoint)
  .max(300);

export const costsNothing = (price: PriceEntry): boolean =>
  [price.input, price.output, price.per_request, price.per_1k_searches].every(
    (figure) => figure === null || Number(figure) === 0,
  );

/** Prices that are imported at a time; the catalogue has some 250. */
const pricesMax = 500;

/** A price of an endpoint, or null for that of the catalogue. */
export const BookedPrice = z.strictObject({
  endpoint: EndpointId.describe(
    "ID of the endpoint, in the form `provider:model` or `provider/variant:model`.",
  ),
  price: PriceEntry.nullable().describe("The new price, or null to return to the catalogue's price."),
  free: z
    .literal(true)
    .optional()
    .describe("Confirms that the endpoint costs nothing; required when every price is zero."),
});

/** Whether a price of zero is meant. */
export const isConfirmed = ({ price, free }: Pick<z.infer<typeof BookedPrice>, "price" | "free">): boolean =>
  price === null || free === true || !costsNothing(price);
export const notConfirmed = {
  path: ["price"],
  error: 'costs nothing; say "free": true beside it when that is meant',
};

/** One price from a moment on. */
const PriceChange = BookedPrice.extend({
  valid_from: AskedTime.optional().describe(
    "Time from which the price applies to new requests; must not be in the past. Now if omitted.",
  ),
}).refine(isConfirmed, notConfirmed);

/** What `npm run cli -- prices import` sends: all of it counts, or nothing. */
export const PriceImport = z.strictObject({
  schema: z
    .literal("portolan-prices/1", { error: 'must be "portolan-prices/1"' })
    .describe("Format of the import, always `portolan-prices/1`."),
  prices: list(PriceChange, { error: "must be a list" })
    .min(1, "must not be empty")
    .max(pricesMax, `may hold ${pricesMax} prices at most`)
    .describe(`Prices to import, 1 to ${pricesMax}: all of them are imported, or none if one is wrong.`),
});
export type PriceImport = z.infer<typeof PriceImport>;

const figure = (what: string) =>
  z.string().nullable().describe(`Price of ${what}, as a decimal string; null if it has none.`);

const figures = {
  input: figure("a million input tokens"),
  output: figure("a million output tokens"),
  cached_input: figure("a million input tokens read from the provider's cache"),
  cache_write: figure("a million input tokens written to the provider's cache"),
  cache_write_1h: figure("a million input tokens cached for an hour"),
  reasoning: figure("a million reasoning tokens"),
  per_request: figure("one request on top of its tokens"),
  per_1k_searches: figure("a thousand search units of rerank requests"),
};
const PriceFigures = z.object(figures);
export type PriceFigures = z.infer<typeof PriceFigures>;

/** A price of an endpoint and when it counts. `valid_from` is null for the catalogue's own. */
export const PriceVersion = z
  .object({
    endpoint: z
      .string()
      .describe("ID of the endpoint, in the form `provider:model` or `provider/variant:model`."),
    version: z
      .string()
      .nullable()
      .describe(
        "Short hash of the prices, which generations refer to; null for an endpoint without a price.",
      ),
    valid_from: Timestamp.nullable().describe(
      "Time from which the price applies; null for the catalogue's price, which comes first.",
    ),
    valid_until: Timestamp.nullable().describe(
      "Time at which the next price replaces it; null if there is no later price.",
    ),
    current: z.boolean().describe("Whether the price applies now."),
    origin: z
      .enum(["catalogue", "price_book"])
      .describe("Where the price comes from: the catalogue or an import into the price book."),
    currency: z
      .enum(["USD", "EUR"])
      .nullable()
      .describe("Currency of the prices outside of `eur`; null for an endpoint without a price."),
    ...figures,
    tiers: z
      .array(
        z.object({
          above_input_tokens: z
            .number()
            .int()
            .describe("Number of input tokens above which the tier applies to the whole request."),
          input: z.string().describe("Price of a million input tokens, as a decimal string."),
          output: z.string().describe("Price of a million output tokens, as a decimal string."),
        }),
      )
      .describe("Different prices for requests with many input tokens; empty if there are none."),
    eur: PriceFigures.nullable().describe(
      "The same prices in euros, at the `exchange_rate` of the response; null for an endpoint without a price.",
    ),
    sources: z.array(Citation).describe("Sources of the price."),
    as_of: z
      .string()
      .nullable()
      .describe("Date on which the price was checked, such as `2026-11-20`; null if unknown."),
    changes: z
      .array(
        z.object({
          figure: z.string().describe("Name of the field that changed: a price, `currency` or `tiers`."),
          before: z.string().nullable().describe("Value in the previous price; null if it had none."),
          after: z.string().nullable().describe("Value in this price; null if it has none."),
        }),
      )
      .describe("Differences from the previous price of the endpoint; empty for the first price."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the price is ignored, so that the one before it applies: it exceeds a limit that was added later. Null if it is not ignored.",
      ),
  })
  .meta({ id: "PriceVersion" });
export type PriceVersion = z.infer<typeof PriceVersion>;

export const PriceListQuery = Paging.extend({
  endpoint: EndpointId.describe(
    "ID of the endpoint, in the form `provider:model` or `provider/variant:model`.",
  ),
});
export type PriceListQuery = z.infer<typeof PriceListQuery>;

export const PriceHistory = dataList(PriceVersion).extend({
  exchange_rate: z
    .object({
      usd_per_eur: z.string().describe("US dollars for one euro, as a decimal string."),
      date: z.string().describe("Day of the rate, such as `2026-11-20`."),
    })
    .describe("Exchange rate used for the prices in euros."),
});
export type PriceHistory = z.infer<typeof PriceHistory>;
