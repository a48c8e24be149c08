import { describe, expect, test } from "vitest";
import { Breaker } from "./breaker.ts";
import { createSessions } from "./sessions.ts";
import { createStatistics } from "./statistics.ts";

const [second, minute] = [1_000, 60_000];

/** Statistics on a clock of their own. */
function atNoon() {
  const now = { ms: 12 * 60 * minute };
  const statistics = createStatistics(() => now.ms);
  return { statistics, signals: () => statistics.signals("here"), wait: (ms: number) => (now.ms += ms) };
}

describe("measures", () => {
  test("an endpoint without requests is healthy, ready and unmeasured", () => {
    expect(atNoon().signals()).toEqual({
      cooling: false,
      attempts: 0,
      health: 1,
      latency: null,
      throughput: null,
    });
  });

  test("percentiles are right to seven per cent", () => {
    const { statistics, signals } = atNoon();
    for (let ms = 1; ms <= 1_000; ms++) statistics.firstContent("here", ms);
    const { latency } = signals();
    for (const [name, exact] of [
      ["p50", 0.5],
      ["p75", 0.75],
      ["p90", 0.9],
      ["p99", 0.99],
    ] as const) {
      expect(Math.abs((latency?.[name] ?? 0) / exact - 1), name).toBeLessThan(0.075);
    }
  });

  test("throughput is tokens a second", () => {
    const { statistics, signals } = atNoon();
    statistics.produced("here", 100, 2_000);
    expect(signals().throughput?.p50).toBeGreaterThan(46);
    expect(signals().throughput?.p50).toBeLessThan(54);
  });

  test("what cannot be measured counts for nothing: no tokens, no time", () => {
    const { statistics, signals } = atNoon();
    statistics.produced("here", 0, 10);
    statistics.produced("here", 10, 0);
    statistics.firstContent("here", 0);
    expect(signals()).toMatchObject({ latency: null, throughput: null });
  });

  test("the last five minutes win; with nothing in them the last thirty count, then nothing", () => {
    const { statistics, signals, wait } = atNoon();
    statistics.firstContent("here", 10_000);
    wait(6 * minute);
    expect(signals().latency?.p50).toBeGreaterThan(9);
    statistics.firstContent("here", 100);
    wait(2 * second);
    expect(signals().latency?.p99).toBeLessThan(0.2);
    wait(40 * minute);
    expect(signals().latency).toBeNull();
  });

  test("health is the share of successes", () => {
    const { statistics, signals } = atNoon();
    for (let at = 0; at < 3; at++) statistics.succeeded("here");
    statistics.failed("here", null);
    expect(signals()).toMatchObject({ attempts: 4, health: 0.75 });
    expect(statistics.signals("elsewhere").health).toBe(1);
  });
});

describe("cool-down", () => {
  const failedOnce = () => {
    const breaker = new Breaker();
    breaker.trying(0);
    breaker.failed(0, null);
    return breaker;
  };

  test("lasts 30 s, then 60 s, then 120 s and no longer while probes fail", () => {
    const breaker = failedOnce();
    let nowMs = 0;
    for (const lasts of [30, 60, 120, 120]) {
      expect(breaker.cooling(nowMs + lasts * second - 1)).toBe(true);
      nowMs += lasts * second;
      expect(breaker.cooling(nowMs)).toBe(false);
      breaker.trying(nowMs);
      breaker.failed(nowMs, null);
    }
  });

  test("one request at a time finds out; a success ends it, silence frees the place", () => {
    const breaker = failedOnce();
    breaker.trying(30 * second);
    expect(breaker.cooling(30 * second)).toBe(true);
    breaker.undecided(31 * second);
    expect(breaker.cooling(31 * second)).toBe(false);
    breaker.trying(31 * second);
    expect(breaker.cooling(90 * second)).toBe(true);
    expect(breaker.cooling(91 * second)).toBe(false);
    breaker.succeeded();
    breaker.trying(32 * second);
    expect(breaker.cooling(32 * second)).toBe(false);
  });

  test("failures of requests that were under way together count once", () => {
    const breaker = failedOnce();
    for (let at = 0; at < 50; at++) breaker.failed(at, null);
    expect(breaker.cooling(30 * second - 1)).toBe(true);
    expect(breaker.cooling(31 * second)).toBe(false);
  });

  test("what the provider asks for wins when it is longer", () => {
    const breaker = new Breaker();
    breaker.failed(0, 200 * second);
    expect(breaker.cooling(199 * second)).toBe(true);
    const short = new Breaker();
    short.failed(0, second);
    expect(short.cooling(29 * second)).toBe(true);
  });

  test("is seen at once, though percentiles are read once a second", () => {
    const { statistics, signals, wait } = atNoon();
    statistics.succeeded("here");
    expect(signals().cooling).toBe(false);
    statistics.failed("here", null);
    expect(signals().cooling).toBe(true);
    wait(30 * second);
    expect(signals().cooling).toBe(false);
  });
});

describe("sessions", () => {
  test("are forgotten an hour after they were last served", () => {
    const now = { ms: 1_000 };
    const sessions = createSessions(() => now.ms);
    sessions.served("a", "there");
    now.ms += 59 * minute;
    expect(sessions.endpointOf("a")).toBe("there");
    now.ms += 2 * minute;
    expect(sessions.endpointOf("a")).toBeUndefined();
  });

  test("are bounded: the longest unused ones go first", () => {
    const sessions = createSessions(() => 1_000);
    for (let at = 0; at <= 20_000; at++) sessions.served(`s${at}`, "there");
    expect(sessions.endpointOf("s0")).toBeUndefined();
    expect(sessions.endpointOf("s20000")).toBe("there");
  });
});
