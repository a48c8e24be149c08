import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { FilterRules } from "#contract/destination-filter.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { sampleFacts } from "#test/destinations/sample.ts";
import { until } from "#test/until.ts";
import { passes } from "./evaluate.ts";
import { FilterThread } from "./filter-thread.ts";
import { Filters, type FilterTask, filterReasons } from "./filters.ts";
import { filterValues } from "./values.ts";

/** It compares every position with all others: two minutes for five million characters. */
const slowPattern = `${".?".repeat(120)}Q`;
const regex = (value: string): FilterRules =>
  FilterRules.parse({ groups: [{ rules: [{ field: "input", operator: "regex", value }] }] });
const said = (text: string): TraceContent => ({
  input: [{ role: "user", parts: [{ type: "text", content: text }] }],
  output: [],
});
const valuesOf = (text: string) => filterValues(sampleFacts(), "k", said(text));

const closers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closers.splice(0)) await one.close();
});
const closing = <T extends { close(): Promise<void> }>(one: T): T => {
  closers.push(one);
  return one;
};

/** Fifty characters of them block a backtracking engine for ever. */
const catastrophic = ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", slowPattern];
const longText = "a".repeat(limits.destinations.filterTextCharsMax);
/** Two hundred slow rules, the maximum of a filter: seconds of work. */
const slowFilter = FilterRules.parse({
  groups: Array.from({ length: 10 }, () => ({
    logic: "or",
    rules: Array.from({ length: 20 }, () => ({ field: "input", operator: "regex", value: slowPattern })),
  })),
});

describe("a thread for filters", () => {
  const ask = (thread: FilterThread, pattern: string, text: string) =>
    thread.ask({ rules: regex(pattern), values: valuesOf(text) });

  test("answers one search after the other, and continues after one that took too long", async () => {
    const thread = closing(new FilterThread());
    expect(await ask(thread, "river", "Name a river.")).toBe(true);
    expect(await ask(thread, "Alps", "Name a river.")).toBe(false);
    for (let times = 0; times < 2; times++) {
      expect(await thread.ask({ rules: slowFilter, values: valuesOf(longText) })).toBeNull();
      expect(await ask(thread, "river", "Name a river.")).toBe(true);
    }
  });

  test.each(catastrophic)("decides in time whether %s is in a long text", async (pattern) => {
    const thread = closing(new FilterThread());
    expect(await ask(thread, pattern, `${longText.slice(1)}!`)).toBe(false);
  });

  test("is started again after it died", async () => {
    const workers: Worker[] = [];
    const thread = closing(
      new FilterThread(() => {
        const worker = new Worker(new URL("./filter-worker.ts", import.meta.url));
        workers.push(worker);
        return worker;
      }),
    );
    expect(await ask(thread, "river", "Name a river.")).toBe(true);
    await workers[0]?.terminate();
    expect(await ask(thread, "river", "Name a river.")).toBe(true);
    const dying = thread.ask({ rules: slowFilter, values: valuesOf(longText) });
    await workers[1]?.terminate();
    expect(await dying).toBeNull();
    expect(await ask(thread, "Alps", "Name a river.")).toBe(false);
    expect(workers).toHaveLength(3);
  });

  test("agrees with the evaluation on the event loop", async () => {
    const thread = closing(new FilterThread());
    const pattern = fc.stringMatching(/^(\^?([a-c.]|\[ab\]|\(a\|b\))[*+?]?){1,6}\$?$/);
    await fc.assert(
      fc.asyncProperty(pattern, fc.stringMatching(/^[a-d\n]{0,40}$/), async (source, text) => {
        expect(await ask(thread, source, text)).toBe(passes(regex(source), valuesOf(text)));
      }),
      { numRuns: 300 },
    );
  });

  test("does not delay other requests, however long the text, slow the pattern and many the destinations", async () => {
    const filters = closing(new Filters<string>(silentLog));
    const content = said("x".repeat(5_000_000));
    const before = process.threadCpuUsage();
    const searches = Array.from({ length: 10 }, (_, at) => ({ destinationId: `d${at}`, rules: slowFilter }));
    const values = filterValues(sampleFacts(), "k", content);
    filters.search({ generationId: "g", orgId: "o", searches, values, bytes: 1, tracesFor: () => [] });
    const outcome = await filters.outcomeOf("g")?.final;
    const { user, system } = process.threadCpuUsage(before);
    expect(outcome?.failures.map(({ reason }) => reason)).toEqual(Array(10).fill(filterReasons.late));
    expect((user + system) / 1000).toBeLessThan(250);
  });
});

/** A thread whose answers stand in the patterns: `yes`, `no`, `late` or `broken`. */
const asked: string[] = [];
const reported: Record<string, boolean | null> = { yes: true, no: false, late: null };
/** The duration of each, on the clock of these tests. */
const tookMs: Record<string, number> = { yes: 1, no: 1, late: 300 };
let fakeNowMs = 0;
const fakeClock = () => fakeNowMs;
const fake = {
  async ask({ rules, values }: Parameters<FilterThread["ask"]>[0]) {
    const pattern = String(rules.groups[0]?.rules[0]?.value);
    asked.push(`${values.texts?.input.start} ${pattern}`);
    await Promise.resolve();
    fakeNowMs += tookMs[pattern] ?? 1;
    if (pattern === "broken") throw new Error("The thread is broken");
    return reported[pattern] ?? null;
  },
  close: async () => {},
};
const task = (
  generationId: string,
  orgId: string,
  patterns: readonly string[],
  more: Partial<FilterTask<string>> = {},
) => ({
  generationId,
  orgId,
  searches: patterns.map((pattern, at) => ({ destinationId: `${pattern}-${at}`, rules: regex(pattern) })),
  values: valuesOf(generationId),
  bytes: 1,
  tracesFor: (ids: ReadonlySet<string>) => [...ids].map((id) => `${generationId} to ${id}`),
  ...more,
});

describe("filters that search", () => {
  test("pass exactly what they match; an undecided one is a failure of its destination", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("yes", "no", "late", "broken"), { minLength: 1 }),
        async (patterns) => {
          const filters = new Filters<string>(silentLog, fake);
          filters.search(task("g", "o", patterns));
          const idsOf = (...names: string[]) =>
            patterns.flatMap((name, at) => (names.includes(name) ? [`${name}-${at}`] : []));
          expect(await filters.outcomeOf("g")?.final).toEqual({
            traces: idsOf("yes").map((id) => `g to ${id}`),
            failures: idsOf("late", "broken").map((destination_id) => ({
              destination_id,
              reason: filterReasons.late,
            })),
          });
          expect(filters.outcomeOf("g")?.outcome).toBe(await filters.outcomeOf("g")?.final);
        },
      ),
    );
  });

  test("take turns between organisations, one search at a time", async () => {
    asked.length = 0;
    const filters = closing(new Filters<string>(silentLog, fake, fakeClock));
    filters.search(task("a1", "a", ["no", "no", "no"]));
    filters.search(task("a2", "a", ["no"]));
    filters.search(task("b1", "b", ["yes"]));
    filters.search(task("c1", "c", ["yes", "no"]));
    await filters.outcomeOf("a2")?.final;
    expect(asked.map((one) => one.slice(0, 2))).toEqual(["a1", "b1", "c1", "a1", "c1", "a1", "a2"]);
  });

  test("that are slow delay others only by the time of one search", async () => {
    const filters = closing(new Filters<string>(silentLog, fake, fakeClock));
    for (let at = 0; at < 100; at++) filters.search(task(`slow${at}`, "slow", ["late", "late"]));
    const begunMs = fakeNowMs;
    for (let at = 0; at < 500; at++) filters.search(task(`g${at}`, "quick", ["yes"]));
    await filters.outcomeOf("g499")?.final;
    expect(fakeNowMs - begunMs).toBeLessThanOrEqual(2 * 500 + 2 * 300);
    // Nor does starting again give more turns than waiting.
    for (let at = 0; at < 20; at++) {
      const cameMs = fakeNowMs;
      filters.search(task(`again${at}`, "quick", ["yes"]));
      await filters.outcomeOf(`again${at}`)?.final;
      expect(fakeNowMs - cameMs).toBeLessThanOrEqual(2 * 300);
    }
    await filters.outcomeOf("slow99")?.final;
  });

  const never = { ask: () => new Promise<boolean>(() => {}), close: async () => {} };
  const { filtersWaitingMax, filtersWaitingBytesMax } = limits.destinations;
  const reasonsOf = (filters: Filters<string>, id: string) =>
    filters.outcomeOf(id)?.outcome?.failures.map(({ reason }) => reason);

  test("fail when too many are waiting", () => {
    const full = new Filters<string>(silentLog, never);
    for (let at = 0; at < filtersWaitingMax; at++) full.search(task(`g${at}`, "o", ["yes"]));
    expect(full.outcomeOf(`g${filtersWaitingMax / 2 - 1}`)?.outcome).toBeNull();
    expect(reasonsOf(full, `g${filtersWaitingMax / 2}`)).toEqual([filterReasons.crowded]);
    const large = new Filters<string>(silentLog, never);
    large.search(task("half", "o", ["yes"], { bytes: filtersWaitingBytesMax / 2 }));
    large.search(task("small", "o", ["yes"]));
    expect(large.outcomeOf("half")?.outcome).toBeNull();
    expect(reasonsOf(large, "small")).toEqual([filterReasons.crowded]);
  });

  test("of one organisation never use the complete queue", () => {
    const filters = new Filters<string>(silentLog, never);
    for (const orgId of ["a", "b", "c", "d"])
      for (let at = 0; at < filtersWaitingMax; at++)
        filters.search(task(`${orgId}${at}`, orgId, ["yes"], { bytes: 32 * 1024 }));
    filters.search(task("g", "e", ["yes"]));
    expect(filters.outcomeOf("g")).toMatchObject({ outcome: null });
  });

  test("that did not run when the process stops are reported as failed", {
    timeout: 20_000,
  }, async () => {
    const filters = new Filters<string>(silentLog);
    for (let at = 0; at < 100; at++)
      filters.search(
        task(`g${at}`, "o", [], {
          searches: [{ destinationId: "d", rules: slowFilter }],
          values: valuesOf(longText),
        }),
      );
    const begunMs = performance.now();
    await filters.close();
    expect(performance.now() - begunMs).toBeLessThan(limits.destinations.filtersCloseMs + 3_000);
    expect(reasonsOf(filters, "g0")).toEqual([filterReasons.late]);
    expect(reasonsOf(filters, "g99")).toEqual([filterReasons.lost]);
  });

  test("have all run before the end", async () => {
    const filters = new Filters<string>(silentLog, fake);
    for (let at = 0; at < 50; at++) filters.search(task(`g${at}`, "o", ["yes"]));
    await filters.close();
    await until(() => expect(filters.outcomeOf("g49")?.outcome?.traces).toEqual(["g49 to yes-0"]));
  });
});
