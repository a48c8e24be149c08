import { type Database, raiseConfigVersion } from "#server/db/index.ts";
import { clock, dayMs, isoDay, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import { RateError, rateOfFeed } from "./ecb.ts";

const { exchangeRate: bounds } = limits;

async function fetchFeed(outbound: Outbound, url: string): Promise<string> {
  const response = await outbound.send({
    url: new URL(url),
    method: "GET",
    headers: { accept: "application/xml" },
    firstByteTimeoutMs: bounds.timeoutMs,
    idleTimeoutMs: bounds.timeoutMs,
    deadlineMs: clock.monotonicMs() + bounds.timeoutMs,
  });
  if (response.status !== 200) {
    response.abort();
    throw new RateError(`it answers ${response.status}`);
  }
  return response.text(bounds.bytesMax);
}

/** A sudden large change is considered an error of the feed until the operator sets `EUR_USD_RATE`. */
function assertNear(rate: ExchangeRate, known: ExchangeRate): void {
  const change = Math.abs(Number(rate.usdPerEur) / Number(known.usdPerEur) - 1);
  if (change > bounds.changeMax)
    throw new RateError(`its rate ${rate.usdPerEur} is far from ${known.usdPerEur} of ${known.date}`);
}

/** Stores a day's rate once; published rates never change. Returns true if it is new. */
function storeRate(database: Database, rate: ExchangeRate): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { count } = await tx.exchange_rate.createMany({
      data: [{ day: isoTime(Date.parse(rate.date)), usd_per_eur: rate.usdPerEur, source: rate.source }],
      skipDuplicates: true,
    });
    if (count > 0) await raiseConfigVersion(tx);
    return count > 0;
  });
}

/**
 * Fetches and stores the day's rate; processes share it through the database. An invalid feed is logged, and the last
 * good rate remains. Throws if the feed or the database cannot be reached.
 */
export async function refreshExchangeRate(
  deps: {
    readonly database: Database;
    readonly outbound: Outbound;
    readonly log: Log;
    readonly current: ExchangeRate;
  },
  url: string,
): Promise<void> {
  const { database, outbound, log, current } = deps;
  const warnOfAge = () => {
    if (Date.parse(isoDay(clock.nowMs())) - Date.parse(current.date) > bounds.warnAfterDays * dayMs)
      log.warn(
        { event: "exchange_rate", reason: current.date },
        "The exchange rate is old; the last known one is used",
      );
  };
  try {
    const rate = rateOfFeed(await fetchFeed(outbound, url));
    assertNear(rate, current);
    if (rate.date > current.date && (await storeRate(database, rate)))
      log.info(
        { event: "exchange_rate", reason: `${rate.usdPerEur} of ${rate.date}` },
        "A new exchange rate is used",
      );
    else warnOfAge();
  } catch (error) {
    warnOfAge();
    if (!(error instanceof RateError)) throw error;
    log.error({ event: "exchange_rate", reason: error.message }, "The exchange rates' feed was refused");
  }
}
