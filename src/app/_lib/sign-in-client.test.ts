import { expect, test } from "vitest";
import { safeNextPath } from "./sign-in-client.ts";

test.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", null])(
  "%s is no place to go after signing in",
  (next) => {
    expect(safeNextPath(next)).toBe("/overview");
  },
);

test("a path of ours is", () => {
  expect(safeNextPath("/docs?x=1")).toBe("/docs?x=1");
});
