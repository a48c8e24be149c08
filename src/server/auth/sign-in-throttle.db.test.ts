import { describe, expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { openTestDatabase } from "#test/factories.ts";
import { purgeOldAttempts, SignInThrottle } from "./sign-in-throttle.ts";

const { database, another } = await openTestDatabase();

function throttleWithClock() {
  let nowMs = Date.now();
  const throttle = new SignInThrottle(database, () => nowMs);
  return { throttle, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

const from = (address: string) => ({ address, device: null });
const somebody = () => `${uuidv7()}@example.eu`;

async function attempts(
  throttle: SignInThrottle,
  account: string,
  count: number,
  address: (index: number) => string,
): Promise<number[]> {
  const waits: number[] = [];
  for (let index = 0; index < count; index++) waits.push(await throttle.admit(account, from(address(index))));
  return waits;
}

const here = () => "1.1.1.1";

describe("guessing a password", () => {
  test("a person who mistypes a few times never waits", async () => {
    const { throttle } = throttleWithClock();
    expect(await attempts(throttle, somebody(), 5, here)).toEqual([0, 0, 0, 0, 0]);
  });

  test("each attempt past the free ones makes the next wait twice as long", async () => {
    const { throttle, pass } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 5, here);
    expect(await throttle.admit(ada, from("1.1.1.1"))).toBe(1000);
    pass(1000);
    expect(await throttle.admit(ada, from("1.1.1.1"))).toBe(0);
    expect(await throttle.admit(ada, from("1.1.1.1"))).toBe(2000);
  });

  test("many addresses at one account get ten passwords looked at in a minute, all together", async () => {
    const { throttle, pass } = throttleWithClock();
    const ada = somebody();
    let looked = 0;
    for (let second = 0; second < 60; second++) {
      const waits = await attempts(throttle, ada, 4, (index) => `10.0.${second}.${index}`);
      looked += waits.filter((wait) => wait === 0).length;
      pass(1000);
    }
    expect(looked).toBeLessThanOrEqual(10);
    expect(looked).toBeGreaterThan(5);
  });

  test("guesses sent at once to three processes gain nothing", async () => {
    const nowMs = Date.now();
    const ada = somebody();
    const throttles = [database, another(), another()].map((each) => new SignInThrottle(each, () => nowMs));
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, at) => throttles[at % 3]?.admit(ada, from(`10.0.0.${at}`))),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test("strangers who guess do not lock a person out of an address they have signed in from", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await throttle.succeeded(ada, from("1.1.1.1"));
    await attempts(throttle, ada, 12, (index) => `10.0.0.${index}`);
    expect(await throttle.admit(ada, from("2.2.2.2"))).toBeGreaterThan(0);
    expect(await throttle.admit(ada, from("1.1.1.1"))).toBe(0);
  });

  test("strangers who guess do not lock a person out of a browser they have signed in with, whatever address it has", async () => {
    const { throttle } = throttleWithClock();
    const [ada, device] = [somebody(), "browser"];
    for (const address of ["1.1.1.1", null]) {
      for (let at = 0; at < 40; at++) await throttle.admit(ada, { address, device: null });
      expect(await throttle.admit(ada, { address, device: null })).toBeGreaterThan(0);
      expect(await throttle.admit(ada, { address, device })).toBe(0);
      await throttle.succeeded(ada, { address, device });
      // The guessers' count is their own: they gain nothing by it.
      expect(await throttle.admit(ada, { address, device: null })).toBeGreaterThan(0);
    }
  });

  test("a browser that was signed in with guesses no more than any other place", async () => {
    const { throttle } = throttleWithClock();
    const waits = [];
    for (let at = 0; at < 12; at++)
      waits.push(await throttle.admit("ada@example.eu", { address: null, device: "d" }));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test("where addresses do not identify people, an account waits a minute at most after the last guess, and others not at all", async () => {
    const { throttle, pass } = throttleWithClock();
    const [ada, origin] = [somebody(), { address: null, device: null }];
    for (let at = 0; at < 200; at++) {
      await throttle.admit(ada, origin);
      pass(500);
    }
    const wait = await throttle.admit(ada, origin);
    expect(wait).toBeLessThanOrEqual(60_000);
    expect(await throttle.admit(somebody(), origin)).toBe(0);
    pass(wait);
    expect(await throttle.admit(ada, origin)).toBe(0);
  });

  test("one account's guesser does not slow down another account", async () => {
    const { throttle } = throttleWithClock();
    await attempts(throttle, somebody(), 10, here);
    expect(await throttle.admit(somebody(), from("1.1.1.1"))).toBe(0);
  });

  test("spelling the address differently is the same account", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 5, here);
    expect(await throttle.admit(` ${ada.toUpperCase()} `, from("1.1.1.1"))).toBe(1000);
  });

  test("signing in resets the counters", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 4, here);
    await throttle.succeeded(ada, from("1.1.1.1"));
    expect(await attempts(throttle, ada, 5, here)).toEqual([0, 0, 0, 0, 0]);
  });

  test("half an hour without an attempt resets the counters", async () => {
    const { throttle, pass } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 5, here);
    pass(30 * 60_000);
    expect(await attempts(throttle, ada, 5, here)).toEqual([0, 0, 0, 0, 0]);
  });
});

test("stored attempts identify nobody, and are purged when they no longer cause a wait", async () => {
  const hourAgo = Date.now() - 60 * 60_000;
  const [guessed, known] = [somebody(), somebody()];
  const throttle = new SignInThrottle(database, () => hourAgo);
  await throttle.admit(guessed, from("1.1.1.1"));
  await throttle.succeeded(known, from("1.1.1.1"));
  const stored = await database.prisma.sign_in_attempt.findMany();
  expect(JSON.stringify(stored)).not.toContain("@");
  await purgeOldAttempts(database);
  const left = await database.prisma.sign_in_attempt.findMany({ where: { counted_at: new Date(hourAgo) } });
  expect(left).toEqual([expect.objectContaining({ known_until: expect.any(Date) })]);
});
