import { describe, expect, test } from "vitest";
import { SignInThrottle } from "./sign-in-throttle.ts";

function throttleWithClock() {
  let nowMs = 0;
  const throttle = new SignInThrottle(() => nowMs);
  return { throttle, pass: (ms: number) => (nowMs += ms) };
}

const attempts = (throttle: SignInThrottle, count: number, address: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => throttle.admit("ada@example.eu", address(index)));

describe("guessing a password", () => {
  test("a person who mistypes a few times never waits", () => {
    const { throttle } = throttleWithClock();
    expect(attempts(throttle, 5, () => "1.1.1.1")).toEqual([0, 0, 0, 0, 0]);
  });

  test("each attempt past the free ones makes the next wait twice as long", () => {
    const { throttle, pass } = throttleWithClock();
    attempts(throttle, 5, () => "1.1.1.1");
    expect(throttle.admit("ada@example.eu", "1.1.1.1")).toBe(1000);
    pass(1000);
    expect(throttle.admit("ada@example.eu", "1.1.1.1")).toBe(0);
    expect(throttle.admit("ada@example.eu", "1.1.1.1")).toBe(2000);
  });

  test("many addresses at one account are slowed down together", () => {
    const { throttle } = throttleWithClock();
    const waits = attempts(throttle, 60, (index) => `10.0.0.${index}`);
    expect(waits.slice(0, 50).every((wait) => wait === 0)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(0);
  });

  test("one account's guesser does not slow down another account", () => {
    const { throttle } = throttleWithClock();
    attempts(throttle, 10, () => "1.1.1.1");
    expect(throttle.admit("grace@example.eu", "1.1.1.1")).toBe(0);
  });

  test("spelling the address differently is the same account", () => {
    const { throttle } = throttleWithClock();
    attempts(throttle, 5, () => "1.1.1.1");
    expect(throttle.admit(" ADA@example.eu ", "1.1.1.1")).toBe(1000);
  });

  test("signing in forgets what was counted", () => {
    const { throttle } = throttleWithClock();
    attempts(throttle, 4, () => "1.1.1.1");
    throttle.succeeded("ada@example.eu", "1.1.1.1");
    expect(attempts(throttle, 5, () => "1.1.1.1")).toEqual([0, 0, 0, 0, 0]);
  });
});
