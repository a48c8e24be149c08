import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clock, shiftClock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { createLog } from "#server/platform/log.ts";
import type { Statement } from "./client.ts";
import { followDatabaseClock } from "./database-clock.ts";

const startMs = 1_700_000_000_000;
/** The true time, the errors of the machine's and the database's clock, and how long each answer travels back. */
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
    "is the database's if its clock differs by %i ms from the machine's",
    async (ms) => {
      databaseMs = ms;
      await follow();
      expect(differenceMs()).toBeLessThanOrEqual(2);
      expect(warnings()).toHaveLength(Math.abs(ms) > limits.database.clockWarnMs ? 1 : 0);
    },
  );

  test("is taken from the fastest of several answers", async () => {
    databaseMs = 5_000;
    tookMs = [3_000, 4, 2_000];
    await follow();
    expect(differenceMs()).toBeLessThanOrEqual(4);
  });

  test("is not changed by less than the uncertainty", async () => {
    tookMs = [200, 200, 200];
    databaseMs = 90;
    await follow();
    expect(clock.nowMs()).toBe(clock.machineMs());
  });

  test("follows changes of the clock, and warns once per deviation", async () => {
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

  test("is measured before serving: without a database the start fails", async () => {
    isUnavailable = true;
    await expect(follow()).rejects.toThrow("unavailable");
  });
});
