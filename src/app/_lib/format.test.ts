import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAge, formatBytes, formatDay, formatEur, formatEurShort } from "./format.ts";

describe("money", () => {
  test.each([
    ["0.000000000000", "€0.00"],
    ["10.000000", "€10.00"],
    ["0.000012300000", "€0.0000123"],
    ["-1.5", "−€1.50"],
    ["1234567.89", "€1,234,567.89"],
  ])("%s is shown as %s, no digit lost", (decimal, shown) => {
    expect(formatEur(decimal)).toBe(shown);
  });

  test("every amount can be read back exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (pico) => {
        const digits = pico.toString().padStart(13, "0");
        const decimal = `${digits.slice(0, -12)}.${digits.slice(-12)}`;
        const [units, fraction = ""] = formatEur(decimal).replaceAll(/[€,]/g, "").split(".");
        expect(BigInt(units + fraction.padEnd(12, "0"))).toBe(pico);
      }),
    );
  });

  test("a tile shows two digits from 1 € on and three significant ones below", () => {
    expect(formatEurShort("12.345678")).toBe("€12.35");
    expect(formatEurShort("0.000086912345")).toBe("€0.0000869");
    expect(formatEurShort("0")).toBe("€0.00");
  });
});

test("ages are in the largest unit that fits", () => {
  expect([0, 20_000, 180_000, 7_200_000, 172_800_000].map(formatAge)).toEqual([
    "now",
    "20 sec ago",
    "3 min ago",
    "2 hr ago",
    "2 days ago",
  ]);
});

test("a day is as precise as it is known", () => {
  expect(["2026-10-06", "2026-10", "2026"].map(formatDay)).toEqual(["6 Oct 2026", "Oct 2026", "2026"]);
});

test.each([
  [0, "0 kB"],
  [1_234, "1.23 kB"],
  [999_499, "999 kB"],
  [999_500, "1 MB"],
  [4_200_000, "4.2 MB"],
  [123_456_789_000_000, "123,000 GB"],
])("a size of %i bytes is %s", (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});
