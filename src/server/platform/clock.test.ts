import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "./clock.ts";

test("a time is written as Date writes it, whichever was written before", () => {
  const inOneSecond = fc.integer({ min: 1_763_800_000_000, max: 1_763_800_002_000 });
  const anyTime = fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(inOneSecond, anyTime), { minLength: 1 }), (times) => {
      for (const ms of times) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});
