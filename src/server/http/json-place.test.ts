import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeOfJsonError } from "./json-place.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("the place of an error", () => {
  test.each([
    ["", 1, 1],
    ["{", 1, 2],
    ["}", 1, 1],
    ['{"a": }', 1, 7],
    ['{"a": 1,\n "b" 2}', 2, 6],
    ['{"a": 1,\n\n}', 3, 1],
    ["[1, 2,]", 1, 7],
    ["[1 2]", 1, 4],
    ["[1}", 1, 3],
    ["{'a': 1}", 1, 2],
    ['{"a": undefined}', 1, 7],
    ['{"a": 01}', 1, 8],
    ['"tab\there"', 1, 5],
    ['"\\x"', 1, 2],
    ['"open', 1, 6],
    ["{} {}", 1, 4],
    ["nul", 1, 4],
    ["nope", 1, 2],
    ['{"a":1}\n,', 2, 1],
  ])("in %j is line %i column %i", (text, line, column) => {
    expect(isJson(text)).toBe(false);
    expect(placeOfJsonError(text)).toEqual({ line, column });
  });

  test("equals V8's, where V8 reports one, for every single-character error", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom(..."{}[],:\"'\\x0-\n"),
        (json, place, character) => {
          const at = place % (json.length + 1);
          const text = json.slice(0, at) + character + json.slice(at);
          if (isJson(text)) return;
          const { line, column } = placeOfJsonError(text);
          const offset =
            text
              .split("\n")
              .slice(0, line - 1)
              .join("\n").length +
            (line > 1 ? 1 : 0) +
            column -
            1;
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(text.length);
          try {
            JSON.parse(text);
          } catch (error) {
            const reported = /at position (\d+)/.exec(String(error))?.[1];
            // For a broken number or escape, V8 reports a place inside it, we its beginning.
            if (reported !== undefined) expect(Math.abs(offset - Number(reported))).toBeLessThanOrEqual(5);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is found in deep and in long texts without overflow", () => {
    expect(placeOfJsonError("[".repeat(100_000))).toEqual({ line: 1, column: 100_001 });
    expect(placeOfJsonError(`"${"a".repeat(1_000_000)}`)).toEqual({ line: 1, column: 1_000_002 });
  });
});
