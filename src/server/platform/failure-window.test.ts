import { expect, test } from "vitest";
import { FailureWindow } from "./failure-window.ts";

test("who fails too often waits until the window ends, others do not", () => {
  let nowMs = 1000;
  const window = new FailureWindow({ failuresMax: 3, windowMs: 60_000, nowMs: () => nowMs });
  for (let at = 0; at < 3; at++) {
    expect(window.waitMs("a")).toBe(0);
    window.failed("a");
  }
  expect(window.waitMs("a")).toBe(60_000);
  expect(window.waitMs("b")).toBe(0);
  nowMs += 60_000;
  expect(window.waitMs("a")).toBe(0);
  window.failed("a");
  expect(window.waitMs("a")).toBe(0);
});

test("who takes every place of a window waits for the next, which comes even to the impatient", () => {
  let nowMs = 1000;
  const window = new FailureWindow({ failuresMax: 2, windowMs: 60_000, nowMs: () => nowMs });
  expect([window.take("a"), window.take("a"), window.take("a"), window.take("b")]).toEqual([0, 0, 60_000, 0]);
  nowMs += 30_000;
  expect(window.take("a")).toBe(30_000);
  nowMs += 30_000;
  expect(window.take("a")).toBe(0);
});
