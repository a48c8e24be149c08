import { z } from "zod";
import { PriceEntry } from "./catalogue.ts";
import { Citation } from "./catalogue-view.ts";
import { AskedTime, dataList, Paging, Timestamp, wanted } from "./common.ts";
import { list } from "./list.ts";

const anEndpoint = wanted(
  'provider:model or provider/variant:model, such as "mistral:mistralai/mistral-large"',
);
const EndpointId = z
  .string(anEndpoint)
  .regex(/^[^:\s]+:\S+$/, anEndpoint)
  .max(300);

const costsNothing = (price: PriceEntry): boolean =>
  [price.input, price.output, price.per_request, price.per_1k_searches].every(
    (figure) => figure === null || Number(figure) === 0,
  );

/** Prices that are imported at a time; the catalogue has some 250. */
const pricesMax = 500;

/** One price from a moment on. A null price gives the endpoint back to the catalogue's. */
const PriceChange = z
  .strictObject({
    endpoint: EndpointId,
    valid_from: AskedTime.optional(),
    price: PriceEntry.nullable(),
    /** Said when it shall cost nothing, so that a zero by accident is refused. */
    free: z.literal(true).optional(),
  })
  .refine(({ price, free }) => price === null || free === true || !costsNothing(price), {
    path: ["price"],
    error: 'costs nothing; say "free": true beside it when that is meant',
  });

/** What `npm run cli -- prices import` sends: all of it counts, or nothing. */
export const PriceImport = z.strictObject({
  schema: z.literal("portolan-prices/1", { error: 'must be "portolan-prices/1"' }),
  prices: list(PriceChange, { error: "must be a list" })
    .min(1, "must not be empty")
    .max(pricesMax, `may hold ${pricesMax} prices at most`),
});
export type PriceImport = z.infer<typeof PriceImport>;

/** Decimal text for one million tokens, one request, one thousand searches; null when it has none. */
const figures = {
  input: z.string().nullable(),
  output: z.string().nullable(),
  cached_input: z.string().nullable(),
  cache_write: z.string().nullable(),
  cache_write_1h: z.string().nullable(),
  reasoning: z.string().nullable(),
  per_request: z.string().nullable(),
  per_1k_searches: z.string().nullable(),
};
const PriceFigures = z.object(figures);
export type PriceFigures = z.infer<typeof PriceFigures>;

/** A price of an endpoint and when it counts. `valid_from` is null for the catalogue's own. */
export const PriceVersion = z
  .object({
    endpoint: z.string(),
    version: z.string().nullable(),
    valid_from: Timestamp.nullable(),
    valid_until: Timestamp.nullable(),
    current: z.boolean(),
    origin: z.enum(["catalogue", "price_book"]),
    currency: z.enum(["USD", "EUR"]).nullable(),
    /** In that currency. */
    ...figures,
    tiers: z.array(z.object({ above_input_tokens: z.number().int(), input: z.string(), output: z.string() })),
    /** The same figures in euros, at the exchange rate of the answer; null for an endpoint without a price. */
    eur: PriceFigures.nullable(),
    /** Where it is known from, and since when. */
    sources: z.array(Citation),
    as_of: z.string().nullable(),
    /** What differs from the price before it: a figure's name, `currency` or `tiers`. */
    changes: z.array(
      z.object({ figure: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
  })
  .meta({ id: "PriceVersion" });
export type PriceVersion = z.infer<typeof PriceVersion>;

export const PriceListQuery = Paging.extend({ endpoint: EndpointId });
export type PriceListQuery = z.infer<typeof PriceListQuery>;

export const PriceHistory = dataList(PriceVersion).extend({
  exchange_rate: z.object({ usd_per_eur: z.string(), date: z.string() }),
});
export type PriceHistory = z.infer<typeof PriceHistory>;
