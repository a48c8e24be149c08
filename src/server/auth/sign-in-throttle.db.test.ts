import { describe, expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { openTestDatabase } from "#test/factories.ts";
import { forgetOldAttempts, SignInThrottle } from "./sign-in-throttle.ts";

const { database, another } = await openTestDatabase();

function throttleWithClock() {
  let nowMs = Date.now();
  const throttle = new SignInThrottle(database, () => nowMs);
  return { throttle, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

const somebody = () => `${uuidv7()}@example.eu`;

async function attempts(
  throttle: SignInThrottle,
  account: string,
  count: number,
  address: (index: number) => string,
): Promise<number[]> {
  const waits: number[] = [];
  for (let index = 0; index < count; index++) waits.push(await throttle.admit(account, address(index)));
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
    expect(await throttle.admit(ada, "1.1.1.1")).toBe(1000);
    pass(1000);
    expect(await throttle.admit(ada, "1.1.1.1")).toBe(0);
    expect(await throttle.admit(ada, "1.1.1.1")).toBe(2000);
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
      Array.from({ length: 30 }, (_, at) => throttles[at % 3]?.admit(ada, `10.0.0.${at}`)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
  });

  test("strangers who guess do not keep a person out where they have signed in before", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await throttle.succeeded(ada, "1.1.1.1");
    await attempts(throttle, ada, 12, (index) => `10.0.0.${index}`);
    expect(await throttle.admit(ada, "2.2.2.2")).toBeGreaterThan(0);
    expect(await throttle.admit(ada, "1.1.1.1")).toBe(0);
  });

  test("one account's guesser does not slow down another account", async () => {
    const { throttle } = throttleWithClock();
    await attempts(throttle, somebody(), 10, here);
    expect(await throttle.admit(somebody(), "1.1.1.1")).toBe(0);
  });

  test("spelling the address differently is the same account", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 5, here);
    expect(await throttle.admit(` ${ada.toUpperCase()} `, "1.1.1.1")).toBe(1000);
  });

  test("signing in forgets what was counted", async () => {
    const { throttle } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 4, here);
    await throttle.succeeded(ada, "1.1.1.1");
    expect(await attempts(throttle, ada, 5, here)).toEqual([0, 0, 0, 0, 0]);
  });

  test("half an hour without an attempt forgets what was counted", async () => {
    const { throttle, pass } = throttleWithClock();
    const ada = somebody();
    await attempts(throttle, ada, 5, here);
    pass(30 * 60_000);
    expect(await attempts(throttle, ada, 5, here)).toEqual([0, 0, 0, 0, 0]);
  });
});

test("what is kept names nobody, and goes when it makes nobody wait any more", async () => {
  const hourAgo = Date.now() - 60 * 60_000;
  const [guessed, known] = [somebody(), somebody()];
  const throttle = new SignInThrottle(database, () => hourAgo);
  await throttle.admit(guessed, "1.1.1.1");
  await throttle.succeeded(known, "1.1.1.1");
  const kept = await database.prisma.sign_in_attempt.findMany();
  expect(JSON.stringify(kept)).not.toContain("@");
  await forgetOldAttempts(database);
  const left = await database.prisma.sign_in_attempt.findMany({ where: { counted_at: new Date(hourAgo) } });
  expect(left).toEqual([expect.objectContaining({ known_until: expect.any(Date) })]);
});
