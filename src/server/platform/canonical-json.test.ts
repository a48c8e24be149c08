import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText, isInOrder } from "./canonical-json.ts";

/** RFC 8785 3.2.3, as its recursive definition. */
const reference = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(reference).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  const members = new Map(Object.entries(value));
  return `{${names.map((name) => `${JSON.stringify(name)}:${reference(members.get(name))}`).join(",")}}`;
};

test("canonical JSON has the names of every object in the order of RFC 8785", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalText(value)).toBe(reference(value));
      if (isInOrder(value)) expect(JSON.stringify(value)).toBe(reference(value));
    }),
  );
});

test("names that are numbers are in the order of their digits, which JavaScript objects cannot have", () => {
  expect(canonicalText({ b: 1, 10: { 9: 1, 10: 2 }, 9: 3, a: undefined })).toBe(
    '{"10":{"10":2,"9":1},"9":3,"b":1}',
  );
  expect(isInOrder({ 10: 1, 9: 2 })).toBe(false);
});

test("the order does not depend on the language: upper case before lower case, then other letters", () => {
  expect(canonicalText({ ä: 1, b: 2, B: 3, "€": 4 })).toBe('{"B":3,"b":2,"ä":1,"€":4}');
});
