import fc from "fast-check";
import { expect, test } from "vitest";
import { writeWithYields } from "./write-with-yields.ts";

const written = async (value: unknown, stepBytes?: number) =>
  Buffer.concat(await writeWithYields(value, stepBytes)).toString();

const lone = fc.array(
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  { maxLength: 6 },
);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    lone.map((all) => all.join("")),
    fc.double(),
    fc.constantFrom(null, true, undefined, Number.NaN, -0),
    fc.array(tie("value")),
    fc.array(fc.integer()),
    fc.dictionary(fc.string(), tie("value")),
  ),
}));

test("whatever JSON it is, it is written as V8 writes it", async () => {
  await fc.assert(
    fc.asyncProperty(
      values.filter((value) => value !== undefined),
      fc.integer({ min: 1, max: 50 }),
      async (value, stepBytes) => {
        expect(await written(value, stepBytes)).toBe(JSON.stringify(value));
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  ["a long text", "a".repeat(300_000)],
  ["one of characters that are two units", "😀".repeat(100_000)],
  ["the same, a unit later", `x${"😀".repeat(100_000)}`],
  ["one of halves", "\ud800".repeat(150_000)],
  ["one of what is escaped", '\n"\\\u0001é'.repeat(50_000)],
  ["tokens", Array.from({ length: 50_000 }, (_, at) => at)],
  ["tokens and other things", Array.from({ length: 50_000 }, (_, at) => (at % 5_000 === 0 ? { at } : at))],
])("%s is written completely", async (_, value) => {
  expect(await written({ value, behind: 1 })).toBe(JSON.stringify({ value, behind: 1 }));
});
