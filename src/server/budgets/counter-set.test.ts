import { describe, expect, test } from "vitest";
import type { BudgetMeasure } from "#contract/budget.ts";
import { countersText } from "#server/billing/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { BudgetCounter } from "./budget-counter.ts";
import { CounterSet } from "./counter-set.ts";

const counterOf = (measure: BudgetMeasure): BudgetCounter =>
  new BudgetCounter(
    {
      ...{ id: uuidv7(), orgId: "org", name: "Budget", measure, limit: 100n },
      ...{ period: measure === "concurrency" ? "none" : "day", dimensions: new Map() },
    },
    { values: [], model: null, nowMs: 0 },
  );
const [eur, usd, tokens, slots] = [
  ...[counterOf("eur"), counterOf("usd")],
  ...[counterOf("tokens"), counterOf("concurrency")],
] as const;

describe("the counters of a request", () => {
  test.each([
    ["counters of money and tokens", [eur, usd, tokens], [eur, usd, tokens]],
    ["no parallel requests, to which booking adds nothing", [eur, slots], [eur]],
    ["nothing if there are no others", [slots], undefined],
  ])("are recorded: %s", (_, counters, recorded) => {
    expect(new CounterSet(counters).text).toEqual(recorded && countersText(recorded));
  });

  test.each([
    [[eur], false, false],
    [[eur, tokens], true, false],
    [[usd], false, true],
  ])("tell which bounds a request needs", (counters, countsTokens, countsUsd) => {
    expect(new CounterSet(counters)).toMatchObject({ countsTokens, countsUsd });
  });

  test("are those of now until the first of their periods ends", () => {
    const dayMs = 86_400_000;
    expect([0, dayMs - 1, dayMs, -1].map((ms) => new CounterSet([eur, slots]).isAt(ms))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([0, dayMs, -1].map((ms) => new CounterSet([slots]).isAt(ms))).toEqual([true, true, true]);
    expect(new CounterSet([]).isAt(dayMs)).toBe(true);
  });
});
