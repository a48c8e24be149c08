import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatAbsolute,
  formatAge,
  formatCount,
  formatDay,
  formatDuration,
  formatEur,
  formatEurShort,
  formatShare,
  formatStart,
  formatUsd,
} from "./format.ts";

const decimal = fc
  .record({
    negative: fc.boolean(),
    units: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fraction: fc.stringMatching(/^\d{1,12}$/),
  })
  .map(({ negative, units, fraction }) => `${negative ? "-" : ""}${units}.${fraction}`);

/** What a text of money says, as the decimal it came from. */
const readBack = (text: string) => text.replace("−", "-").replace(/[€$,]/g, "");
/** Without what says nothing: zeros at the end of the fraction. */
const canonical = (text: string) => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

describe("money", () => {
  test("no digit is lost, invented or rounded, however large or small the amount is", () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        expect(canonical(readBack(formatEur(amount)))).toBe(canonical(amount));
        expect(canonical(readBack(formatUsd(amount)))).toBe(canonical(amount));
      }),
    );
  });

  test("there are two digits after the point at least, and thousands are grouped", () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        expect(formatEur(amount)).toMatch(/^−?€\d{1,3}(,\d{3})*\.\d{2,12}$/);
      }),
    );
  });

  test("the currencies differ by their sign only", () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        expect(formatUsd(amount)).toBe(formatEur(amount).replace("€", "$"));
      }),
    );
  });

  test("the short form is off by half of its last digit at most, and never in its sign", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
        fc.integer({ min: 0, max: 9 }),
        (digits, places) => {
          const amount = digits / 10 ** places;
          const shown = Number(readBack(formatEurShort(amount.toFixed(12))));
          expect(Math.abs(shown - amount)).toBeLessThanOrEqual(
            Math.abs(amount) >= 1 ? 0.005 + 1e-9 : Math.abs(amount) * 0.005 + 1e-12,
          );
          expect(Math.sign(shown) * Math.sign(amount)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  test.each(["0", "0.000000000000", "-0.00"])("nothing (%s) is €0.00", (amount) => {
    expect(formatEurShort(amount)).toBe("€0.00");
  });
});

describe("counts and shares", () => {
  test("small counts are exact, larger ones are off by a tenth of their unit at most", () => {
    const units: Record<string, number> = {
      "": 1,
      K: 1e3,
      k: 1e3,
      M: 1e6,
      bn: 1e9,
      B: 1e9,
      tn: 1e12,
      T: 1e12,
    };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 13 }), (count) => {
        const [, digits = "", unit = ""] = /^([\d.,]+)(\D*)$/.exec(formatCount(count)) ?? [];
        const factor = units[unit] ?? Number.NaN;
        const shown = Number(digits.replaceAll(",", "")) * factor;
        expect(Math.abs(shown - count)).toBeLessThanOrEqual(count < 100_000 ? 0 : factor * 0.051);
      }),
    );
  });

  test("a share has at most one digit after the point", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(Math.abs(Number(formatShare(share).replace("%", "")) - share * 100)).toBeLessThanOrEqual(
          0.0501,
        );
      }),
    );
  });
});

describe("time", () => {
  test("a duration is in ms below a second, else in seconds with two or three digits", () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (ms) => {
        const [amount = "", unit] = formatDuration(ms).split(" ");
        expect(unit).toBe(ms < 1000 ? "ms" : "s");
        const shownMs = Number(amount) * (unit === "s" ? 1000 : 1);
        expect(Math.abs(shownMs - ms)).toBeLessThanOrEqual(ms < 1000 ? 0 : ms < 10_000 ? 5.01 : 50.1);
      }),
    );
  });

  test("an older time never has a younger text", () => {
    const unitMs: Record<string, number> = { sec: 1e3, min: 6e4, hr: 3.6e6, day: 8.64e7 };
    const readMs = (text: string) => {
      if (text === "now") return 0;
      if (text === "yesterday") return 8.64e7;
      const [, count = "", unit = ""] = /^(\d+) (sec|min|hr|day)s?\.? ago$/.exec(text) ?? [];
      return Number(count) * (unitMs[unit] ?? Number.NaN);
    };
    fc.assert(
      fc.property(fc.nat(10 ** 10), (ageMs) => {
        const shownMs = readMs(formatAge(ageMs));
        expect(shownMs).not.toBeNaN();
        expect(shownMs).toBeLessThanOrEqual(ageMs);
        // Not younger by more than one of its units.
        expect(ageMs - shownMs).toBeLessThan(
          ageMs < 5_000 ? 5_000 : ageMs < 6e4 ? 1e3 : ageMs < 3.6e6 ? 6e4 : 8.64e7,
        );
      }),
    );
  });

  test.each([-1, -60_000, 0, 4_999])("what is %d ms old is now: clocks differ", (ageMs) => {
    expect(formatAge(ageMs)).toBe("now");
  });

  test("a bar's start is as precise as the bar is wide", () => {
    const start = "2026-11-20T10:30:00.000Z";
    const hour = 3_600_000;
    expect(formatStart(start, hour / 2)).toMatch(/^\d{2}:\d{2}$/);
    expect(formatStart(start, hour)).toMatch(/^[A-Z][a-z]{2},? \d{2}:\d{2}$/);
    expect(formatStart(start, 6 * hour)).toMatch(/^\d{1,2} Nov \d{2}:\d{2}$/);
    expect(formatStart(start, 24 * hour)).toMatch(/^\d{1,2} Nov$/);
  });

  test.each([
    ["2026", "2026"],
    ["2026-10", "Oct 2026"],
    ["2026-10-06", "6 Oct 2026"],
    ["", ""],
  ])("the day %s is as precise as it is given", (day, shown) => {
    if (day !== "") expect(formatDay(day)).toBe(shown);
  });

  test("a full time names its zone", () => {
    expect(formatAbsolute("2026-11-20T10:30:05Z")).toMatch(/2026.*:30:05 \S+/);
  });
});
