import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { differencesOf, lineDifferences } from "./differences.ts";

const version = (system_prompt: string | null, config: object) => ({ system_prompt, config });

test("fields that differ are shown with both sides, others are left out", () => {
  expect(
    differencesOf(version("One", { seed: 1, top_p: 1 }), version("One", { seed: 2, models: ["a/b"] })),
  ).toEqual([
    { field: "seed", before: "1", after: "2" },
    { field: "top_p", before: "1", after: null },
    { field: "models", before: null, after: '[\n "a/b"\n]' },
  ]);
});

describe("lines", () => {
  test("that stayed are found between those that changed", () => {
    expect(lineDifferences("a\nb\nc", "a\nx\nc\nd")).toEqual([
      { change: "same", text: "a" },
      { change: "removed", text: "b" },
      { change: "added", text: "x" },
      { change: "same", text: "c" },
      { change: "added", text: "d" },
    ]);
    expect(lineDifferences(null, "a")).toEqual([{ change: "added", text: "a" }]);
    expect(lineDifferences("a", null)).toEqual([{ change: "removed", text: "a" }]);
  });

  test("of both texts are all there, in their order", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
    const of = (before: string[], after: string[], without: string) =>
      lineDifferences(before.join("\n"), after.join("\n"))
        .filter(({ change }) => change !== without)
        .map((line) => line.text);
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect([of(before, after, "added"), of(before, after, "removed")]).toEqual([before, after]);
      }),
    );
  });
});
