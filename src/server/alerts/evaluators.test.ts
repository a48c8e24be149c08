import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alertSettings } from "#contract/alert-kind.ts";
import { dayMs, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Condition, Evaluation } from "./kind.ts";
import { type BudgetFact, budget } from "./kinds/budget.ts";
import { destinationFailing } from "./kinds/destination-failing.ts";
import { endpointDown } from "./kinds/endpoint-down.ts";
import { errorRate } from "./kinds/error-rate.ts";
import { expiredFact } from "./kinds/expired-fact.ts";
import { limitRefusals } from "./kinds/limit-refusals.ts";
import { lowCredit } from "./kinds/low-credit.ts";
import { p95Latency } from "./kinds/p95-latency.ts";
import { staleExchangeRate } from "./kinds/stale-exchange-rate.ts";

const nowMs = Date.parse("2026-11-25T12:00:00.000Z");
const hourMs = 60 * 60 * 1000;
const evaluation = (open: readonly Condition[] = [], openedAtMs = nowMs - hourMs): Evaluation => ({
  nowMs,
  open: new Map(open.map((condition) => [condition.subject, { ...condition, openedAtMs }])),
});
const subjectsOf = (conditions: readonly Condition[]) => conditions.map(({ subject }) => subject);

const counter = (used: bigint, amount: bigint): BudgetFact => ({
  limit_of: "budget",
  account_id: "counter",
  name: "Team",
  measure: "tokens",
  values: [],
  used: String(used),
  amount: String(amount),
  ends_at: null,
});
const settings = {
  budget: alertSettings.budget.parse({}),
  error_rate: alertSettings.error_rate.parse({}),
  p95_latency: alertSettings.p95_latency.parse({}),
  endpoint_down: alertSettings.endpoint_down.parse({}),
  low_credit: alertSettings.low_credit.parse({}),
};

describe("a budget", () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });

  test("alerts for exactly the thresholds that its use has reached, whatever its size", () => {
    fc.assert(
      fc.property(amounts, amounts, (used, amount) => {
        const found = budget.evaluate(settings.budget, [counter(used, amount)], evaluation());
        const reached = [50, 80, 95, 100].filter((percent) => used * 100n >= amount * BigInt(percent));
        expect(subjectsOf(found)).toEqual(reached.map((percent) => `counter:${percent}`));
      }),
    );
  });

  test.each([
    ["below the limit", 799n, false, false],
    ["at the limit", 800n, false, true],
    ["a little below, when it is open", 730n, true, true],
    ["a margin below, when it is open", 719n, true, false],
  ])("%s", (_, used, wasOpen, isOpen) => {
    const open = wasOpen ? [{ subject: "counter:80", title: "", detail: "" }] : [];
    const found = budget.evaluate(
      { ...settings.budget, thresholds: [80] },
      [counter(used, 1_000n)],
      evaluation(open),
    );
    expect(found).toHaveLength(isOpen ? 1 : 0);
  });

  test("says how much is used of how much, in its unit", () => {
    const fact = { ...counter(16_200_000_000_000n, 20_000_000_000_000n), measure: "eur", values: ["ada"] };
    const [found] = budget.evaluate({ ...settings.budget, thresholds: [80] }, [fact], evaluation());
    expect(found).toMatchObject({
      title: "Budget “Team” for ada reached 80 %",
      detail: "EUR 16.20 of EUR 20.00 used",
    });
  });
});

describe("a limit that refuses requests", () => {
  const refused = (count: number) => [{ limit_of: "budget", limit_id: "b", name: "Burst", count }] as const;
  const ten = { ...alertSettings.limit_refusals.parse({}), min_requests: 10 };

  test("opens at the number of requests, and is resolved when none is refused any more", () => {
    const opened = limitRefusals.evaluate(ten, refused(10), evaluation());
    expect(opened).toMatchObject([{ subject: "budget:b", title: "Budget “Burst” refuses requests" }]);
    expect(limitRefusals.evaluate(ten, refused(9), evaluation())).toEqual([]);
    expect(subjectsOf(limitRefusals.evaluate(ten, refused(1), evaluation(opened)))).toEqual(["budget:b"]);
    expect(limitRefusals.evaluate(ten, [], evaluation(opened))).toEqual([]);
  });
});

/** The kinds that judge measurements, each with a limit of 100. */
const measured = {
  "the error rate": (samples: Sample[], at: Evaluation) =>
    errorRate.evaluate({ ...settings.error_rate, above_percent: 100 }, samples, at),
  "the latency": (samples: Sample[], at: Evaluation) =>
    p95Latency.evaluate({ ...settings.p95_latency, above_ms: 100, min_requests: 20 }, samples, at),
  "an endpoint": (samples: Sample[], at: Evaluation) =>
    endpointDown.evaluate({ ...settings.endpoint_down, above_percent: 100, min_requests: 20 }, samples, at),
};
interface Sample {
  subject: string;
  count: number;
  value: number;
}

describe.each(Object.entries(measured))("%s", (_, evaluate) => {
  const sample = (count: number, value: number) => [{ subject: "all", count, value }];
  const opened = evaluate(sample(20, 100), evaluation());

  test("opens at its limit, with enough requests only", () => {
    expect(subjectsOf(opened)).toEqual(["all"]);
    expect(evaluate(sample(19, 100), evaluation())).toEqual([]);
    expect(evaluate(sample(20, 99), evaluation())).toEqual([]);
  });

  test("closes only a margin below its limit, so a value near it does not flap", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 91, max: 109 }), { maxLength: 20 }), (values) => {
        let open = opened;
        for (const value of values) open = evaluate(sample(20, value), evaluation(open));
        expect(subjectsOf(open)).toEqual(["all"]);
      }),
    );
    expect(evaluate(sample(20, 89), evaluation(opened))).toEqual([]);
  });

  test("stays open without any request, as it was, for a day; one good request closes it", () => {
    expect(evaluate([], evaluation(opened))).toEqual(opened);
    expect(evaluate([], evaluation(opened, nowMs - limits.alerts.heldMs))).toEqual([]);
    expect(evaluate(sample(1, 0), evaluation(opened))).toEqual([]);
  });
});

test("what was measured by another grouping is closed", () => {
  const open = [{ subject: "model:mistral/small", title: "", detail: "" }];
  expect(
    errorRate.evaluate({ ...settings.error_rate, group_by: "model" }, [], evaluation(open)),
  ).toHaveLength(1);
  expect(errorRate.evaluate(settings.error_rate, [], evaluation(open))).toEqual([]);
});

test.each([
  ["5.00 is low", "5000000000000", false, true],
  ["5.01 is not", "5010000000000", false, false],
  ["5.01 stays low", "5010000000000", true, true],
  ["5.51 is over it", "5510000000000", true, false],
  ["less than nothing is low", "-1", false, true],
])("credit of EUR %s", (_, balance, wasOpen, isLow) => {
  const open = wasOpen ? [{ subject: "org", title: "", detail: "" }] : [];
  const found = lowCredit.evaluate(
    settings.low_credit,
    [{ org_id: "org", name: "Us", balance }],
    evaluation(open),
  );
  expect(subjectsOf(found)).toEqual(isLow ? ["org"] : []);
});

const failing = { id: "d", name: "Traces", failing_since: null, stopped_reason: null, last_error: null };
test.each([
  ["nine minutes", { failing_since: new Date(nowMs - 9 * 60_000) }, []],
  ["ten minutes", { failing_since: new Date(nowMs - 10 * 60_000) }, ["d"]],
  ["no time, but it was stopped", { stopped_reason: "It wants nothing any more" }, ["d"]],
  ["no time", {}, []],
])("a destination that fails for %s", (_, state, subjects) => {
  const found = destinationFailing.evaluate({ after_minutes: 10 }, [{ ...failing, ...state }], evaluation());
  expect(subjectsOf(found)).toEqual(subjects);
});

test("a fact alerts the given number of days before it counts as unknown, under one subject until then and after", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 365 }),
      fc.integer({ min: -400, max: 400 }),
      (days_before, left) => {
        const expiresAt = isoDay(nowMs + left * dayMs);
        const found = expiredFact.evaluate({ days_before }, [{ subject: "x", expiresAt }], evaluation());
        expect(subjectsOf(found)).toEqual(left < days_before ? ["x"] : []);
      },
    ),
  );
});

test.each([
  ["four days", 4, "ECB", 0],
  ["five days", 5, "ECB", 1],
  ["five days, but fixed by the operator", 5, "operator", 0],
])("an exchange rate of %s", (_, days, source, count) => {
  const rate = { date: isoDay(nowMs - days * dayMs), source, usdPerEur: "1.1" };
  expect(staleExchangeRate.evaluate({ after_days: 4 }, rate, evaluation())).toHaveLength(count);
});
