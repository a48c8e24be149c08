import { PriceEntry } from "#contract/price-entry.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { type ReportRow, readRow, readRows } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";
import { priceFrom } from "./price.ts";
import type { Catalogue, Endpoint, Price } from "./types.ts";

/** A price of an endpoint from a time on; null restores the catalogue's price. */
export interface PriceOverride {
  readonly endpoint: string;
  readonly validFromMs: number;
  readonly price: Price | null;
}

/** What the database adds to the catalogue files: the newest exchange rate and the price overrides. */
export interface PriceOverrides {
  /** Equal for equal content. */
  readonly version: string;
  readonly rate: ExchangeRate | null;
  /** By endpoint, in order of their start; of two with the same start the later written one applies. */
  readonly prices: ReadonlyMap<string, readonly PriceOverride[]>;
}

type Client = PrismaClient | Prisma.TransactionClient;

export interface BookedPrice extends PriceOverride {
  readonly id: string;
  /** Why the price is ignored: the one before it applies. Null if it can be used. */
  readonly problem: string | null;
}

/** The price overrides in order. A row that was valid when it was written may exceed a limit of today. */
export async function readPrices(prisma: Client, where: { endpoint?: string } = {}): Promise<BookedPrice[]> {
  const orderBy = [{ valid_from: "asc" }, { id: "asc" }] as const;
  const entries = await prisma.price_book_entry.findMany({ where, orderBy: [...orderBy] });
  return entries.map(({ id, endpoint, valid_from, price }) => {
    const { value, problem } = readRow(() => (price === null ? null : priceFrom(PriceEntry.parse(price))));
    return { id, endpoint, validFromMs: valid_from.getTime(), price: value, problem };
  });
}

/** Loads the price overrides and the newest exchange rate, without those that cannot be read. */
export async function loadPriceOverrides(prisma: Client, report: ReportRow): Promise<PriceOverrides> {
  const newest = await prisma.exchange_rate.findFirst({ orderBy: { day: "desc" } });
  const all = await readPrices(prisma);
  for (const { id, problem } of all) if (problem !== null) report("price_book_entry", id, problem);
  const booked = all.filter(({ problem }) => problem === null);
  const [rate = null] = readRows(newest ? [{ ...newest, id: newest.day.toISOString().slice(0, 10) }] : [], {
    table: "exchange_rate",
    report,
    read: ({ id, usd_per_eur, source }) => exchangeRate(usd_per_eur.toFixed(), id, source),
  });
  return {
    version: `${rate?.date} ${booked.length} ${booked
      .map(({ id }) => id)
      .toSorted()
      .at(-1)}`,
    rate,
    prices: Map.groupBy(booked, ({ endpoint }) => endpoint),
  };
}

/** The overrides with other prices that apply from now on. */
export const withPrices = (
  overrides: PriceOverrides,
  changed: ReadonlyMap<string, Price | null>,
): PriceOverrides => ({
  ...overrides,
  prices: new Map([
    ...overrides.prices,
    ...[...changed].map(([endpoint, price]) => [endpoint, [{ endpoint, validFromMs: 0, price }]] as const),
  ]),
});

/** The prices of the price book that apply now, as they were imported, by endpoint. Those that cannot be read do not. */
export async function bookedPrices(prisma: Client): Promise<ReadonlyMap<string, PriceEntry>> {
  const begun = await prisma.price_book_entry.findMany({
    where: { valid_from: { lte: isoTime(clock.nowMs()) } },
    orderBy: [{ valid_from: "asc" }, { id: "asc" }],
    select: { endpoint: true, price: true },
  });
  const current = new Map<string, PriceEntry>();
  for (const { endpoint, price } of begun) {
    const { value, problem } = readRow(() => (price === null ? null : PriceEntry.parse(price)));
    if (problem !== null) continue;
    if (value === null) current.delete(endpoint);
    else current.set(endpoint, value);
  }
  return current;
}

/** The catalogue at `nowMs`, and when the next price starts. A rate fixed by the operator is not replaced. */
export function catalogueAt(
  base: Catalogue,
  priceOverrides: PriceOverrides,
  fixedRate: boolean,
  nowMs: number,
) {
  let nextMs = Number.POSITIVE_INFINITY;
  const priced = new Map<Endpoint, Endpoint>();
  const endpoints = new Map(base.endpoints);
  for (const [id, prices] of priceOverrides.prices) {
    const begun = prices.filter(({ validFromMs }) => validFromMs <= nowMs);
    nextMs = Math.min(nextMs, ...prices.slice(begun.length).map(({ validFromMs }) => validFromMs));
    const endpoint = base.endpoints.get(id);
    const price = begun.at(-1)?.price;
    if (!endpoint || !price) continue;
    const changed = { ...endpoint, price };
    priced.set(endpoint, changed);
    endpoints.set(id, changed);
  }
  const newer = !fixedRate && priceOverrides.rate && priceOverrides.rate.date > base.exchangeRate.date;
  const catalogue: Catalogue = {
    ...base,
    version: `${base.version}-${priceOverrides.version}-${nextMs}`,
    exchangeRate: newer && priceOverrides.rate ? priceOverrides.rate : base.exchangeRate,
    endpoints,
    endpointsByModel:
      priced.size === 0
        ? base.endpointsByModel
        : new Map(
            [...base.endpointsByModel].map(([model, list]) => [
              model,
              list.map((one) => priced.get(one) ?? one),
            ]),
          ),
  };
  return { catalogue, nextMs };
}
