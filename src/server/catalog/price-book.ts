import type { PriceImport } from "#contract/price-book.ts";
import type { PriceEntry } from "#contract/price-entry.ts";
import type { Operator } from "#server/accounts/index.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { type Database, jsonNull } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { PriceError, priceFrom } from "./price.ts";
import type { Catalogue } from "./types.ts";

/** Past requests are billed already, so no price starts in the past, except for a difference of clocks. */
const pastMaxMs = 60_000;

/** What is wrong with a price that its schema accepts; null if nothing is. */
export function priceFault(price: PriceEntry): { readonly field: string; readonly message: string } | null {
  try {
    priceFrom(price);
    return null;
  } catch (error) {
    if (!(error instanceof PriceError)) throw error;
    return { field: error.field, message: error.message };
  }
}

function problemsOf({ prices }: PriceImport, catalogue: Catalogue): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  prices.forEach(({ endpoint, valid_from, price }, index) => {
    const at = `prices[${index}]`;
    if (!catalogue.endpoints.has(endpoint))
      problems.push(`${at}.endpoint "${endpoint}" is not in the catalogue`);
    const name = `${endpoint} ${valid_from === undefined ? "now" : Date.parse(valid_from)}`;
    if (seen.has(name)) problems.push(`${at} gives ${endpoint} a second price from the same time`);
    seen.add(name);
    if (valid_from !== undefined && Date.parse(valid_from) < clock.nowMs() - pastMaxMs)
      problems.push(`${at}.valid_from is in the past; past requests keep their price`);
    const fault = price && priceFault(price);
    if (fault) problems.push(`${at}.price.${fault.field} ${fault.message}`);
  });
  return problems;
}

/** Imports prices, all or none. Throws BAD_REQUEST with every problem, each with its place. */
export async function importPrices(
  database: Database,
  operator: Operator<"billing:write">,
  catalogue: Catalogue,
  input: PriceImport,
): Promise<number> {
  const problems = problemsOf(input, catalogue);
  if (problems.length > 0)
    throw new AppError("BAD_REQUEST", `Nothing was imported: ${problems.join("; ")}`, {
      param: "prices",
      metadata: { problems },
    });
  const now = isoTime(clock.nowMs());
  const data = input.prices.map(({ endpoint, valid_from, price }) => ({
    id: uuidv7(),
    endpoint,
    valid_from: valid_from === undefined ? now : isoTime(Date.parse(valid_from)),
    price: price ?? jsonNull,
  }));
  return changeConfiguration(database, operator, "price_book.import", async (tx) => {
    await tx.price_book_entry.createMany({ data });
    const after = {
      endpoints: data.map(({ endpoint }) => endpoint),
      valid_from: data.map((entry) => entry.valid_from),
    };
    return { result: data.length, audit: { id: data[0]?.id ?? "", after } };
  });
}
