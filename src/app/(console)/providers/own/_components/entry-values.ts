import { recordOf } from "#app/_lib/json.ts";
import type { CatalogueEntry } from "#contract/catalogue-entry.ts";
import type { Offer } from "#contract/catalogue-view.ts";

export type Fields = CatalogueEntry["entry"];
type Value = Fields[string];

/** The text or number of a field; empty without it. */
export function shownIn(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The fields with changed ones; undefined removes a field. */
export const withValues = (fields: Fields, change: Readonly<Record<string, Value | undefined>>): Fields =>
  Object.fromEntries(
    Object.entries({ ...fields, ...change }).filter((pair): pair is [string, Value] => pair[1] !== undefined),
  );

/** The price in an entry of an endpoint; null if it has none. */
export const priceIn = ({ price }: Fields): Fields | null =>
  price === undefined || price === null ? null : (recordOf(price) as Fields);

/** The list price of an offer as a catalogue file has it, in its own currency; null if it is unknown. */
export function listPriceOf({ provider_name, price }: Pick<Offer, "provider_name" | "price">): Fields | null {
  if (price === null) return null;
  const { prompt, completion, cache_read, request, searches } =
    price[price.currency === "EUR" ? "eur" : "usd"];
  const isByToken = Number(prompt) > 0 || Number(completion) > 0 || (request === null && searches === null);
  return {
    currency: price.currency,
    ...(isByToken && { input: prompt, output: completion }),
    ...(cache_read !== null && { cached_input: cache_read }),
    ...(request !== null && { per_request: request }),
    ...(searches !== null && { per_1k_searches: searches }),
    source: `List price of ${provider_name}`,
    ...(price.as_of !== null && { as_of: price.as_of }),
  };
}
