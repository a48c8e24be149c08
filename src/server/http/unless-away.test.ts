import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { unlessAway } from "./unless-away.ts";

const { awayAfterMs, awayCheckMs } = limits.database;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function database() {
  const state = { silentMs: 0 };
  const warn = vi.fn();
  const log = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
  return { state, warn, services: { databaseSilentMs: () => state.silentMs, log } };
}

/** What became of it, once it has. */
function watch(work: Promise<unknown>) {
  const seen: { value?: unknown; error?: unknown } = {};
  work.then(
    (value) => {
      seen.value = value;
    },
    (error: unknown) => {
      seen.error = error;
    },
  );
  return seen;
}

test("work is waited for as long as the database answers others, however long it takes", async () => {
  const { state, services } = database();
  const work = Promise.withResolvers<string>();
  const seen = watch(unlessAway(services, work.promise));
  for (let at = 0; at < 100; at++) {
    state.silentMs = (at % 10) * awayCheckMs;
    await vi.advanceTimersByTimeAsync(awayCheckMs);
  }
  expect(seen).toEqual({});
  work.resolve("done");
  await vi.advanceTimersByTimeAsync(0);
  expect(seen).toEqual({ value: "done" });
  expect(vi.getTimerCount()).toBe(0);
});

test("work is given up with 503 once the database is silent, and how it ends after all is no fault of the process", async () => {
  const { state, warn, services } = database();
  const work = Promise.withResolvers<string>();
  const seen = watch(unlessAway(services, work.promise));
  state.silentMs = awayAfterMs + 1;
  await vi.advanceTimersByTimeAsync(2 * awayCheckMs);
  expect(seen.error).toBeInstanceOf(AppError);
  expect(seen.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", headers: { "retry-after": "5" } });
  work.reject(new Error("Query read timeout"));
  await vi.advanceTimersByTimeAsync(0);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a process that was paused takes its own absence for nobody's silence", async () => {
  const { state, services } = database();
  const work = Promise.withResolvers<string>();
  const seen = watch(unlessAway(services, work.promise));
  state.silentMs = 60_000;
  await vi.advanceTimersByTimeAsync(awayCheckMs);
  // The look that was due answers at once.
  state.silentMs = 5;
  await vi.advanceTimersByTimeAsync(10 * awayCheckMs);
  expect(seen).toEqual({});
  work.reject(new Error("refused"));
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.error).toEqual(new Error("refused"));
});
