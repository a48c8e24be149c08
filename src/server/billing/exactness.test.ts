import fc from "fast-check";
import { expect, test } from "vitest";
import { costPartsOf } from "#server/db/index.ts";
import { decimalFromPico, divideHalfEven, eurFromUsd, exchangeRate } from "#server/platform/money.ts";
import { prices, rates } from "#test/arbitrary-usages.ts";
import { generationRow } from "#test/factories.ts";
import { costOf } from "./price.ts";
import { costColumns } from "./row-columns.ts";
import { noUsage, type Usage } from "./usage.ts";
import { sumUsage } from "./usage-sums.ts";

const smallest = { cost_pico_usd: "1", cost_pico_eur: "1", upstream_pico_usd: "1" };
const owner = { orgId: "organisation", userId: "person", keyId: "key" };

test("1,000,000 costs of the smallest unit add up to exactly a millionth, in reports and in batches", {
  timeout: 60_000,
}, () => {
  const batch = Array.from({ length: 1000 }, () => generationRow(owner, "0", smallest));
  let eur = 0n;
  let usd = 0n;
  for (let booked = 0; booked < 1000; booked++) {
    const days = sumUsage(batch);
    eur += days.reduce((sum, day) => sum + day.cost_pico_eur, 0n);
    usd += days.reduce((sum, day) => sum + day.cost_pico_usd, 0n);
  }
  expect([eur, usd]).toEqual([1_000_000n, 1_000_000n]);
  expect(decimalFromPico(eur)).toBe("0.000001000000");
  // The result with floating-point numbers, which shows that this test can fail.
  let doubles = 0;
  for (let at = 0; at < 1_000_000; at++) doubles += 1e-12;
  expect(doubles).not.toBe(1e-6);
});

test("the largest costs add up as exactly as the smallest", () => {
  const large = 2n ** 80n + 1n;
  const rows = [large, 1n, large, 1n].map((cost) =>
    generationRow(owner, "0", { ...smallest, cost_pico_eur: cost.toString() }),
  );
  expect(sumUsage(rows).reduce((sum, day) => sum + day.cost_pico_eur, 0n)).toBe(2n * large + 2n);
});

const parts = ["uncached_prompt", "cache_read", "cache_write", "completion", "request"];

/** The cost columns, computed again from the stored row: the parts in the price's currency and the rate. */
function recomputed(row: { cost_parts: string; fx_usd_per_eur: string; is_byok: boolean }) {
  const { cost_parts, fx_usd_per_eur, is_byok } = row;
  const rate = exchangeRate(fx_usd_per_eur, "2026-08-31", "");
  const { currency: of, own } = costPartsOf(cost_parts);
  const inEur = of === "EUR";
  const amounts = parts.map((part) => BigInt(own[part] ?? ""));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n);
  const usdParts = inEur
    ? amounts.map((eur) => divideHalfEven(eur * rate.picoUsdPerEur, 10n ** 12n))
    : amounts;
  const usd = sum(usdParts);
  const eur = inEur ? sum(amounts) : eurFromUsd(usd, rate);
  return {
    cost_pico_usd: (is_byok ? 0n : usd).toString(),
    cost_pico_eur: (is_byok ? 0n : eur).toString(),
    upstream_pico_usd: usd.toString(),
    usdParts: usdParts.map(String),
  };
}

/** Usages of six numbers each: drawing 100,000 of them together is faster than one by one. */
const manyUsages = fc.uint16Array({ minLength: 600, maxLength: 600 }).map((drawn) =>
  Array.from({ length: 100 }, (_, at): Usage => {
    const [uncached = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0, answer = 0, searchUnits = 0] =
      drawn.subarray(at * 6, at * 6 + 6);
    return {
      ...noUsage,
      ...{ uncached, cacheRead, cacheWrite, reasoning, searchUnits, completion: answer + reasoning },
    };
  }),
);

test("USD and EUR of 100,000 usages are equal when computed again from the stored row", {
  timeout: 120_000,
}, () => {
  let worked = 0;
  fc.assert(
    fc.property(manyUsages, prices, rates, fc.boolean(), (many, price, rate, is_byok) => {
      for (const usage of many) {
        const columns = costColumns(costOf(usage, price, rate, is_byok));
        const row = JSON.parse(JSON.stringify({ ...columns, is_byok, fx_usd_per_eur: rate.usdPerEur }));
        const { usdParts, ...again } = recomputed(row);
        const { cost_parts, ...stored } = columns;
        worked++;
        if (JSON.stringify(again) !== JSON.stringify(stored)) return false;
        if (!cost_parts.slice("EUR ".length).startsWith(usdParts.join(" "))) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
  expect(worked).toBe(100_000);
});

test("the rounding of a rate is at most half a pico from the true quotient, and half-even", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), rates, (usd, rate) => {
      const eur = eurFromUsd(usd, rate);
      const twiceOff = 2n * (eur * rate.picoUsdPerEur - usd * 10n ** 12n);
      const off = twiceOff < 0n ? -twiceOff : twiceOff;
      return off < rate.picoUsdPerEur || (off === rate.picoUsdPerEur && eur % 2n === 0n);
    }),
    { numRuns: 5000 },
  );
});
