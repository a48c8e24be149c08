import { describe, expect, test } from "vitest";
import type { BudgetMeasure } from "#contract/budget.ts";
import { countersText } from "#server/billing/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { BudgetCounter } from "./budget-counter.ts";
import { CounterSet, CounterSets } from "./counter-set.ts";

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

  test("are one set while a caller has the same ones, and never those of other counters", () => {
    const sets = new CounterSets(2);
    const first = sets.of("a", [eur, tokens]);
    expect(sets.of("a", [eur, tokens])).toBe(first);
    for (const others of [[eur], [tokens, eur], [eur, tokens, slots], [usd, tokens]])
      expect(sets.of("a", others).counters).toEqual(others);
    expect(sets.of("a", []).counters).toEqual([]);
  });

  test("are remembered for a bounded number of callers", () => {
    const sets = new CounterSets(2);
    const first = sets.of("a", [eur]);
    sets.of("b", [eur]);
    expect(sets.of("a", [eur])).toBe(first);
    sets.of("c", [eur]);
    expect(sets.of("a", [eur])).not.toBe(first);
  });
});
