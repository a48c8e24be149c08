import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clock, shiftClock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { createLog } from "#server/platform/log.ts";
import type { Statement } from "./client.ts";
import { followDatabaseClock } from "./database-clock.ts";

const startMs = 1_700_000_000_000;
/** True time, what the machine's and the database's clocks are wrong by, and what each answer takes on its way back. */
let trueMs = startMs;
let databaseMs = 0;
let machineMs = 0;
let tookMs: number[] = [];
let isUnavailable = false;
const lines: string[] = [];
const log = createLog("debug", (line) => lines.push(line));
const warnings = () => lines.filter((line) => line.includes("ahead of") || line.includes("behind"));

const statement = (async () => {
  if (isUnavailable) throw new Error("unavailable");
  const ms = trueMs + databaseMs;
  trueMs += tookMs.shift() ?? 2;
  return [{ ms }];
}) as Statement;

const stops: (() => void)[] = [];
const follow = async () => void stops.push(await followDatabaseClock({ statement }, log));
const aMinuteLater = () => vi.advanceTimersByTimeAsync(limits.database.clockEveryMs);
const differenceMs = () => Math.abs(clock.nowMs() - (trueMs + databaseMs));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(clock, "machineMs").mockImplementation(() => trueMs + machineMs);
  vi.spyOn(clock, "monotonicMs").mockImplementation(() => trueMs - startMs);
  [databaseMs, machineMs, tookMs, isUnavailable] = [0, 0, [], false];
  lines.length = 0;
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  shiftClock(0);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the time of records", () => {
  test.each([-86_400_000, -60_000, -500, 0, 500, 60_000, 86_400_000])(
    "is the database's, whose clock is %i ms from the machine's",
    async (ms) => {
      databaseMs = ms;
      await follow();
      expect(differenceMs()).toBeLessThanOrEqual(2);
      expect(warnings()).toHaveLength(Math.abs(ms) > limits.database.clockWarnMs ? 1 : 0);
    },
  );

  test("is taken from the quickest of several answers", async () => {
    databaseMs = 5_000;
    tookMs = [3_000, 4, 2_000];
    await follow();
    expect(differenceMs()).toBeLessThanOrEqual(4);
  });

  test("does not move for less than can be known", async () => {
    tookMs = [200, 200, 200];
    databaseMs = 90;
    await follow();
    expect(clock.nowMs()).toBe(clock.machineMs());
  });

  test("follows a clock that is set, and warns once as long as it is wrong", async () => {
    await follow();
    machineMs = 10_000;
    await aMinuteLater();
    expect(differenceMs()).toBeLessThanOrEqual(2);
    await aMinuteLater();
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain("10.0 s ahead of the database's");
    machineMs = 0;
    await aMinuteLater();
    expect(differenceMs()).toBeLessThanOrEqual(2);
    machineMs = -3_000;
    await aMinuteLater();
    expect(warnings()[1]).toContain("3.0 s behind the database's");
  });

  test("does not change while the database is unavailable", async () => {
    databaseMs = 60_000;
    await follow();
    isUnavailable = true;
    await aMinuteLater();
    expect(differenceMs()).toBeLessThanOrEqual(2);
  });

  test("is measured before anything is served: without a database there is no start", async () => {
    isUnavailable = true;
    await expect(follow()).rejects.toThrow("unavailable");
  });
});
