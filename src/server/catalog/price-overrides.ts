import { PriceEntry } from "#contract/price-entry.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { clock } from "#server/platform/clock.ts";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";
import { priceFrom } from "./price.ts";
import type { Catalogue, Endpoint, Price } from "./types.ts";

/** A price that counts for an endpoint from a moment on; null gives it back to the catalogue. */
export interface BookedPrice {
  readonly endpoint: string;
  readonly validFromMs: number;
  readonly price: Price | null;
}

/** What the database adds to the catalogue's files: the newest exchange rate, and the price book in its order. */
export interface Books {
  /** Equal for equal content. */
  readonly version: string;
  readonly rate: ExchangeRate | null;
  /** By endpoint, from the first to begin to the last; of two that begin together the later written counts. */
  readonly prices: ReadonlyMap<string, readonly BookedPrice[]>;
}

const noBooks: Books = { version: "", rate: null, prices: new Map() };

type Client = PrismaClient | Prisma.TransactionClient;

/** The book's prices in its order, with the ids of their rows. Every row was checked when it was written. */
export async function readPrices(prisma: Client, where: { endpoint?: string } = {}) {
  const orderBy = [{ valid_from: "asc" }, { id: "asc" }] as const;
  const entries = await prisma.price_book_entry.findMany({ where, orderBy: [...orderBy] });
  return entries.map(({ id, endpoint, valid_from, price }) => ({
    id,
    endpoint,
    validFromMs: valid_from.getTime(),
    price: price === null ? null : priceFrom(PriceEntry.parse(price)),
  }));
}

/** Reads the books. */
export async function loadBooks(prisma: Client): Promise<Books> {
  const newest = await prisma.exchange_rate.findFirst({ orderBy: { day: "desc" } });
  const booked = await readPrices(prisma);
  const rate =
    newest &&
    exchangeRate(newest.usd_per_eur.toFixed(), newest.day.toISOString().slice(0, 10), newest.source);
  return {
    version: `${rate?.date} ${booked.length} ${booked
      .map(({ id }) => id)
      .toSorted()
      .at(-1)}`,
    rate,
    prices: Map.groupBy(booked, ({ endpoint }) => endpoint),
  };
}

/** The catalogue as it stands at `nowMs`, and when the next price begins. A rate that the operator fixed stays. */
function catalogueAt(base: Catalogue, books: Books, fixedRate: boolean, nowMs: number) {
  let nextMs = Number.POSITIVE_INFINITY;
  const priced = new Map<Endpoint, Endpoint>();
  const endpoints = new Map(base.endpoints);
  for (const [id, prices] of books.prices) {
    const begun = prices.filter(({ validFromMs }) => validFromMs <= nowMs);
    nextMs = Math.min(nextMs, ...prices.slice(begun.length).map(({ validFromMs }) => validFromMs));
    const endpoint = base.endpoints.get(id);
    const price = begun.at(-1)?.price;
    if (!endpoint || !price) continue;
    const changed = { ...endpoint, price };
    priced.set(endpoint, changed);
    endpoints.set(id, changed);
  }
  const newer = !fixedRate && books.rate && books.rate.date > base.exchangeRate.date;
  const catalogue: Catalogue = {
    ...base,
    version: `${base.version}-${books.version}-${nextMs}`,
    exchangeRate: newer && books.rate ? books.rate : base.exchangeRate,
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

/**
 * The catalogue as it stands now: another object whenever the books changed or a price began, else the same one.
 * Asked on every request, it compares two numbers and a text.
 */
export function livingCatalogue(base: Catalogue, books: () => Books, fixedRate: boolean): () => Catalogue {
  let seen = noBooks;
  let now = catalogueAt(base, seen, fixedRate, clock.nowMs());
  return () => {
    const newest = books();
    if (newest.version !== seen.version || clock.nowMs() >= now.nextMs) {
      seen = newest;
      now = catalogueAt(base, seen, fixedRate, clock.nowMs());
    }
    return now.catalogue;
  };
}
