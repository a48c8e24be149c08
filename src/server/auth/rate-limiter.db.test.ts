import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { openTestDatabase } from "#test/factories.ts";
import type { RateState } from "./rate-account.ts";
import { RateLimiter } from "./rate-limiter.ts";

const { database, another } = await openTestDatabase();
const { windowMs, firstShare, aheadMs } = limits.rate;

const opened: RateLimiter[] = [];
afterAll(() => {
  for (const limiter of opened) limiter.close();
});

/** Processes that share one database and one clock, which only the test moves. */
function processes(databases: readonly (Database | null)[]) {
  const time = { nowMs: windowMs * 29_000_000 + 1 };
  const limiters = databases.map(
    (each) => new RateLimiter({ database: each, log: silentLog, nowMs: () => time.nowMs }),
  );
  opened.push(...limiters);
  return { time, limiters };
}

const another3 = [database, another(), another()];
let subjects = 0;
const newSubject = () => `key:test-${subjects++}`;

const burst = (limiter: RateLimiter, subject: string, budget: number, count: number): Promise<RateState[]> =>
  Promise.all(Array.from({ length: count }, async () => limiter.take(subject, budget)));
const admitted = (states: readonly RateState[]) => states.filter((state) => state.admitted).length;

describe("a budget shared by three processes", () => {
  test.each([1, 7, 100, 1000])("of %i is used up by a burst, and not exceeded by one", async (budget) => {
    const { limiters, time } = processes(another3);
    const subject = newSubject();
    const states = (
      await Promise.all(limiters.map((limiter) => burst(limiter, subject, budget, budget * 3 + 5)))
    ).flat();
    expect(admitted(states)).toBe(budget);
    for (const state of states) {
      expect(state).toMatchObject({ limit: budget, resetAtMs: windowMs * 29_000_001 });
      if (!state.admitted) expect(state.remaining).toBe(0);
    }
    time.nowMs += windowMs;
    expect(admitted(await burst(limiters[0] as RateLimiter, subject, budget, budget + 1))).toBe(budget);
  });

  test("one after the other, in turn, they admit it to the last", async () => {
    const { limiters } = processes(another3);
    const subject = newSubject();
    const states: RateState[] = [];
    for (let at = 0; at < 150; at++) {
      const limiter = limiters[at % 3] as RateLimiter;
      states.push(await limiter.take(subject, 100));
    }
    expect(admitted(states)).toBe(100);
  });

  test("is used completely by a single process, without delay and with the remaining requests known to each", async () => {
    const { limiters } = processes(another3);
    const [only] = limiters as [RateLimiter];
    const states = await burst(only, newSubject(), 100, 101);
    expect(states.map(({ remaining }) => remaining).slice(0, 100)).toEqual(
      Array.from({ length: 100 }, (_, at) => 99 - at),
    );
    expect(states[100]).toMatchObject({ admitted: false, remaining: 0 });
  });

  test("loses at most the share of a process that dies, and only until the window ends", async () => {
    const { limiters, time } = processes(another3);
    const [dying, left] = limiters as [RateLimiter, RateLimiter];
    const subject = newSubject();
    expect(await dying.take(subject, 100)).toMatchObject({ admitted: true });
    const share = Math.ceil(100 / firstShare);
    expect(admitted(await burst(left, subject, 100, 200))).toBe(100 - share);
    time.nowMs += windowMs;
    expect(admitted(await burst(left, subject, 100, 200))).toBe(100);
  });

  test("is what it is set to now: raised, it admits more within the window", async () => {
    const { limiters } = processes(another3);
    const [limiter] = limiters as [RateLimiter];
    const subject = newSubject();
    expect(admitted(await burst(limiter, subject, 5, 10))).toBe(5);
    expect(admitted(await burst(limiter, subject, 8, 10))).toBe(3);
  });

  test("gives back what another limit refused", async () => {
    const { limiters } = processes(another3);
    const [limiter] = limiters as [RateLimiter];
    const subject = newSubject();
    await limiter.take(subject, 1);
    limiter.giveBack(subject);
    expect(await limiter.take(subject, 1)).toMatchObject({ admitted: true });
    expect(await limiter.take(subject, 1)).toMatchObject({ admitted: false });
  });
});

test("who asks regularly finds a share of the next window, taken before it began", async () => {
  const { limiters, time } = processes([database]);
  const [limiter] = limiters as [RateLimiter];
  const subject = newSubject();
  await burst(limiter, subject, 1000, 100);
  time.nowMs += windowMs - aheadMs / 2;
  await limiter.tick();
  time.nowMs += aheadMs;
  const states = Array.from({ length: 50 }, () => limiter.take(subject, 1000));
  expect(states.every((state) => !(state instanceof Promise) && state.admitted)).toBe(true);
});

test("who asks for the first time in a window's last moment finds a share of the next one as well", async () => {
  const { limiters, time } = processes([database]);
  const [limiter] = limiters as [RateLimiter];
  const subject = newSubject();
  time.nowMs += windowMs - 10;
  expect(await limiter.take(subject, 1000)).toMatchObject({ admitted: true });
  time.nowMs += 20;
  const state = limiter.take(subject, 1000);
  expect(state instanceof Promise).toBe(false);
  expect(state).toMatchObject({ admitted: true });
});

describe("a window that begins while shares are requested", () => {
  test.each([
    ["by a request", (limiter: RateLimiter, subject: string) => limiter.take(subject, 1)],
    ["ahead", (limiter: RateLimiter) => limiter.tick()],
  ])("loses none of them: they were asked for %s", async (_, ask) => {
    const { limiters, time } = processes([database]);
    const [limiter] = limiters as [RateLimiter];
    const subject = newSubject();
    // The whole budget is one request: a share that is lost would be a refusal.
    await limiter.take(subject, 1);
    time.nowMs += 2 * windowMs - 10;
    const asked = ask(limiter, subject);
    time.nowMs += 20;
    const states = await Promise.all([limiter.take(subject, 1), asked]);
    expect(admitted(states.filter((state) => state !== undefined))).toBe(1);
    expect(await limiter.take(subject, 1)).toMatchObject({ admitted: false });
  });
});

test("windows that are over are forgotten", async () => {
  const { limiters, time } = processes([database]);
  const [limiter] = limiters as [RateLimiter];
  await limiter.take(newSubject(), 1000);
  time.nowMs += 3 * windowMs;
  await limiter.tick();
  expect(await database.prisma.rate_window.count({ where: { minute: { lt: 29_000_002 } } })).toBe(0);
});

test("while the database is unavailable each process counts for itself, and no request is refused for it", async () => {
  const unavailable = new Proxy(database, {
    get() {
      throw new Error("connection refused");
    },
  });
  const { limiters } = processes([unavailable, unavailable]);
  const subject = newSubject();
  for (const limiter of limiters) expect(admitted(await burst(limiter, subject, 10, 20))).toBe(10);
});

test("a process alone on its database sends no requests to others", () => {
  const { limiters, time } = processes([null]);
  const [limiter] = limiters as [RateLimiter];
  const subject = newSubject();
  const take = () => limiter.take(subject, 3);
  expect([take(), take(), take(), take()]).toMatchObject([
    { admitted: true, remaining: 2 },
    { admitted: true, remaining: 1 },
    { admitted: true, remaining: 0 },
    { admitted: false, remaining: 0 },
  ]);
  time.nowMs += windowMs;
  expect(take()).toMatchObject({ admitted: true, remaining: 2 });
});
