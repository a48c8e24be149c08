import fc from "fast-check";
import { expect, test } from "vitest";
import { dayMs } from "#server/platform/clock.ts";
import { hourMs, usagePieces } from "./usage-pieces.ts";

const minuteMs = 60_000;
const time = fc.integer({ min: 0, max: 400 * dayMs });
const asked = fc
  .record({
    fromMs: time,
    lengthMs: fc.oneof(fc.integer({ min: 0, max: 3 * hourMs }), fc.integer({ min: 0, max: 400 * dayMs })),
    stepMs: fc.constantFrom(minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs, Number.POSITIVE_INFINITY),
  })
  .map(({ fromMs, lengthMs, stepMs }) => ({ fromMs, toMs: fromMs + lengthMs, stepMs }));
const complete = fc
  .record({ usage_day: time, later: fc.integer({ min: 0, max: 40 * dayMs }) })
  .map(({ usage_day, later }) => ({ usage_day, usage_hour: usage_day + later }));
const unitsMs = { generation: 1, usage_hour: hourMs, usage_day: dayMs };

test("the pieces of a time range cover it once, in order, and nothing else", () => {
  fc.assert(
    fc.property(asked, complete, (range, from) => {
      const pieces = usagePieces(range, from);
      let atMs = range.fromMs;
      for (const { fromMs, toMs } of pieces) {
        expect(fromMs).toBe(atMs);
        expect(toMs).toBeGreaterThan(fromMs);
        atMs = toMs;
      }
      expect(atMs).toBe(range.toMs);
    }),
  );
});

test("sums are read only for complete periods that fit into a time bucket and that the table has", () => {
  fc.assert(
    fc.property(asked, complete, (range, from) => {
      for (const { table, fromMs, toMs } of usagePieces(range, from)) {
        const unitMs = unitsMs[table];
        expect([fromMs % unitMs, toMs % unitMs]).toEqual([0, 0]);
        if (table === "generation") continue;
        expect(fromMs).toBeGreaterThanOrEqual(from[table]);
        if (range.stepMs !== Number.POSITIVE_INFINITY) expect(range.stepMs % unitMs).toBe(0);
      }
    }),
  );
});

test("a year reads less than two hours of requests and less than two days of hours", () => {
  const toMs = 400 * dayMs + 5 * hourMs + 1;
  const pieces = usagePieces(
    { fromMs: toMs - 365 * dayMs, toMs, stepMs: 7 * dayMs },
    { usage_day: 0, usage_hour: 0 },
  );
  expect(pieces.map(({ table }) => table)).toEqual([
    ...["generation", "usage_hour", "usage_day", "usage_hour", "generation"],
  ]);
});
