import { expect, test } from "vitest";
import { changeText } from "./change.ts";

test.each([
  [5, 0, null],
  [0, 0, null],
  [0, 5, "100% less than before"],
  [100, 100, "unchanged"],
  [1_004, 1_000, "unchanged"],
  [112, 100, "12% more than before"],
  [50, 100, "50% less than before"],
  [5_000, 1, "over 999% more than before"],
])("%d after %d is %j", (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});
