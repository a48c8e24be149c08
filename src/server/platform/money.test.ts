import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decimalFromPico,
  divideHalfEven,
  eurFromUsd,
  exchangeRate,
  numberFromPico,
  picoFromDecimal,
  usdFromEur,
} from "./money.ts";

const amounts = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const rates = fc
  .bigInt({ min: 10n ** 10n, max: 10n ** 14n })
  .map((pico) => exchangeRate(decimalFromPico(pico), "2026-08-31", "test"));

describe("decimals", () => {
  test.each([
    ["1.5", 1_500_000_000_000n],
    ["0", 0n],
    ["-0.000000000001", -1n],
    ["0.10", 100_000_000_000n],
    ["123456789012345678901.5", 123456789012345678901500000000000n],
    ["1e-12", 1n],
  ])("%s is read exactly", (text, pico) => {
    expect(picoFromDecimal(text)).toBe(pico);
  });

  test("finer than a pico-unit or no decimal at all is refused", () => {
    for (const text of ["0.0000000000001", "1e-13", "NaN", "Infinity"]) {
      expect(() => picoFromDecimal(text)).toThrow(RangeError);
    }
    for (const text of ["", "one", "1,5"]) expect(() => picoFromDecimal(text)).toThrow();
  });

  test("every amount goes out and comes back unchanged", () => {
    fc.assert(fc.property(amounts, (amount) => picoFromDecimal(decimalFromPico(amount)) === amount));
  });

  test("fewer digits are rounded half-even", () => {
    const cents = (pico: bigint) => decimalFromPico(pico, 2);
    expect([5n, 15n, 25n, -15n].map((thousandth) => cents(thousandth * 10n ** 9n))).toEqual([
      "0.00",
      "0.02",
      "0.02",
      "-0.02",
    ]);
  });

  test("a JSON number of any amount under 8,192 units is exact", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 8_191_999_999_999_999n }), (amount) => {
        return picoFromDecimal(JSON.stringify(numberFromPico(amount))) === amount;
      }),
      { numRuns: 5000 },
    );
  });
});

describe("division half-even", () => {
  test.each([
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-5n, 2n, -2n],
    [-7n, 2n, -4n],
    [7n, -2n, -4n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [0n, 7n, 0n],
    [6n, 3n, 2n],
  ])("%o / %o = %o", (numerator, denominator, quotient) => {
    expect(divideHalfEven(numerator, denominator)).toBe(quotient);
  });

  test("is never off by more than a half, and goes to the even side on a half", () => {
    const denominators = fc.bigInt({ min: 1n, max: 10n ** 15n });
    fc.assert(
      fc.property(amounts, denominators, (numerator, denominator) => {
        const quotient = divideHalfEven(numerator, denominator);
        const rest = numerator - quotient * denominator;
        const twice = (rest < 0n ? -rest : rest) * 2n;
        expect(twice <= denominator).toBe(true);
        if (twice === denominator) expect(quotient % 2n).toBe(0n);
      }),
    );
  });
});

describe("EUR and USD", () => {
  test("a hand-worked day: 1 EUR = 1.1596 USD", () => {
    const rate = exchangeRate("1.1596", "2026-08-31", "ECB");
    expect(usdFromEur(picoFromDecimal("1"), rate)).toBe(picoFromDecimal("1.1596"));
    expect(eurFromUsd(picoFromDecimal("1.1596"), rate)).toBe(picoFromDecimal("1"));
    // 1 / 1.1596 = 0.862366333218351...
    expect(eurFromUsd(picoFromDecimal("1"), rate)).toBe(862_366_333_218n);
  });

  test("there and back again is off by less than the rate's step", () => {
    fc.assert(
      fc.property(amounts, rates, (eur, rate) => {
        const back = eurFromUsd(usdFromEur(eur, rate), rate);
        const off = back > eur ? back - eur : eur - back;
        // Half a pico-dollar in pico-euro, plus the second rounding.
        expect(off <= 10n ** 12n / rate.picoUsdPerEur + 1n).toBe(true);
      }),
    );
  });

  test("the same amount and rate give the same figure for every reader", () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        const again = exchangeRate(rate.usdPerEur, rate.date, "another reader");
        return (
          eurFromUsd(amount, rate) === eurFromUsd(amount, again) &&
          usdFromEur(amount, rate) === usdFromEur(amount, again)
        );
      }),
    );
  });

  test("a million costs of a billionth add up exactly", () => {
    const cost = picoFromDecimal("0.000000001");
    let sum = 0n;
    for (let at = 0; at < 1_000_000; at++) sum += cost;
    expect(decimalFromPico(sum)).toBe("0.001000000000");
  });

  test.each(["0", "-1", "0.0000000000001"])("%s is no exchange rate", (text) => {
    expect(() => exchangeRate(text, "2026-08-31", "test")).toThrow(RangeError);
  });
});
