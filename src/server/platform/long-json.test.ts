import fc from "fast-check";
import { expect, test } from "vitest";
import { isLongJson, jsonBytes } from "./long-json.ts";

test("the bytes of whatever JSON are those it is written with", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
    { numRuns: 1_000 },
  );
  expect(jsonBytes({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}'.length);
});

test.each([
  ["a text", "x".repeat(1_000)],
  ["a text deep inside", [[{ a: { b: "x".repeat(1_000) } }]]],
  ["many texts", Array(100).fill("x".repeat(10))],
  ["many numbers", Array(200).fill(0)],
  ["many names", Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`name ${at}`, 0]))],
  ["a text among numbers", [0, 0, "x".repeat(1_000)]],
])("%s makes a value long", (_, value) => {
  expect(isLongJson({ value }, 900)).toBe(true);
  expect(isLongJson({ value }, 10_000)).toBe(false);
});
