import type { PriceFigures, PriceHistory, PriceListQuery, PriceVersion } from "#contract/price-book.ts";
import { type Database, windowOf } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { found } from "#server/platform/errors.ts";
import { decimalFromPico, type ExchangeRate, eurFromUsd, type Pico } from "#server/platform/money.ts";
import type { Catalogues } from "./catalogues.ts";
import { type BookedPrice, type PriceOverride, readPrices } from "./price-overrides.ts";
import type { Price } from "./types.ts";

const perMillion = 1_000_000n;

/** The figures of a price as decimals per million tokens, request or thousand searches. */
function figuresOf(price: Price, exchange: (amount: Pico) => Pico = (amount) => amount): PriceFigures {
  const text = (figure: Pico | null, unit: bigint) =>
    figure === null ? null : decimalFromPico(exchange(figure * unit));
  return {
    input: text(price.input, perMillion),
    output: text(price.output, perMillion),
    cached_input: text(price.cacheRead, perMillion),
    cache_write: text(price.cacheWrite, perMillion),
    cache_write_1h: text(price.cacheWriteHour ?? price.cacheWrite, perMillion),
    reasoning: text(price.reasoning, perMillion),
    per_request: text(price.request, 1n),
    per_1k_searches: text(price.searchUnit, 1000n),
  };
}

const noFigures: PriceFigures = {
  input: null,
  output: null,
  cached_input: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
  per_request: null,
  per_1k_searches: null,
};

const tiersOf = (price: Price | null): PriceVersion["tiers"] =>
  (price?.tiers ?? []).map(({ aboveInputTokens, input, output }) => ({
    above_input_tokens: aboveInputTokens,
    input: decimalFromPico(input * perMillion),
    output: decimalFromPico(output * perMillion),
  }));

/** Everything of a price that can change, as text. */
const comparable = (price: Price | null): Record<string, string | null> => ({
  currency: price?.currency ?? null,
  ...(price ? figuresOf(price) : noFigures),
  tiers:
    tiersOf(price)
      .map(({ above_input_tokens, input, output }) => `${input} and ${output} above ${above_input_tokens}`)
      .join(", ") || null,
});

function changesOf(earlier: Price | null, later: Price | null): PriceVersion["changes"] {
  const [before, after] = [comparable(earlier), comparable(later)];
  return Object.keys(after).flatMap((figure) => {
    const [from, to] = [before[figure] ?? null, after[figure] ?? null];
    return from === to ? [] : [{ figure, before: from, after: to }];
  });
}

function versionOf(price: Price | null, rate: ExchangeRate) {
  const toEur = (amount: Pico) => (price?.currency === "USD" ? eurFromUsd(amount, rate) : amount);
  return {
    version: price?.version ?? null,
    currency: price?.currency ?? null,
    ...(price ? figuresOf(price) : noFigures),
    tiers: tiersOf(price),
    eur: price && figuresOf(price, toEur),
    sources: [...(price?.sources ?? [])],
    as_of: price?.asOf ?? null,
  };
}

/** From the catalogue's own price, which applies until the first override starts, to the last override. */
function versionsOf(
  endpoint: string,
  base: Price | null,
  booked: readonly PriceOverride[],
  rate: ExchangeRate,
): PriceVersion[] {
  const steps = [{ validFromMs: null, price: null }, ...booked];
  const nowMs = clock.nowMs();
  const current = steps.findLastIndex(({ validFromMs }) => validFromMs === null || validFromMs <= nowMs);
  const priceAt = (index: number) => steps[index]?.price ?? base;
  const timeAt = (index: number) => {
    const ms = steps[index]?.validFromMs ?? null;
    return ms === null ? null : isoTime(ms);
  };
  return steps.map(({ price }, index) => ({
    endpoint,
    ...versionOf(price ?? base, rate),
    valid_from: timeAt(index),
    valid_until: timeAt(index + 1),
    current: index === current,
    origin: price ? "price_book" : "catalogue",
    changes: index === 0 ? [] : changesOf(priceAt(index - 1), priceAt(index)),
    problem: null,
  }));
}

/** A price that cannot be read. It never applies, and ends no other. */
const ignoredVersion = (
  { endpoint, validFromMs, problem }: BookedPrice,
  rate: ExchangeRate,
): PriceVersion => ({
  endpoint,
  ...versionOf(null, rate),
  valid_from: isoTime(validFromMs),
  valid_until: null,
  current: false,
  origin: "price_book",
  changes: [],
  problem,
});

const startOf = ({ valid_from: time }: PriceVersion): number =>
  time === null ? Number.NEGATIVE_INFINITY : Date.parse(time);

/**
 * The prices of an endpoint, past, current and future, newest first, in its currency and in EUR at the newest rate.
 * An organisation's own endpoints are not in the price book. Throws NOT_FOUND for an unknown endpoint.
 */
export async function priceHistory(
  database: Database,
  catalogues: Pick<Catalogues, "of" | "listed">,
  orgId: string,
  { endpoint, ...paging }: PriceListQuery,
): Promise<PriceHistory> {
  const { endpoints, exchangeRate: rate } = catalogues.of(orgId);
  const current = found(endpoints.get(endpoint), "endpoint", "endpoint");
  const isOwn = current.origin.orgId !== null;
  const { take, skip } = windowOf(paging);
  const known = (isOwn ? undefined : catalogues.listed().endpoints.get(endpoint)) ?? current;
  const booked = isOwn ? [] : await readPrices(database.prisma, { endpoint });
  const { usable = [], ignored = [] } = Object.groupBy(booked, ({ problem }) =>
    problem === null ? "usable" : "ignored",
  );
  const versions = [
    ...versionsOf(endpoint, known.price, usable, rate),
    ...ignored.map((price) => ignoredVersion(price, rate)),
  ]
    .toSorted((a, b) => startOf(a) - startOf(b))
    .toReversed();
  return {
    data: versions.slice(skip, skip + take),
    total_count: versions.length,
    exchange_rate: { usd_per_eur: rate.usdPerEur, date: rate.date },
  };
}
