import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clock } from "./clock.ts";
import { JsonBoundError, type JsonBounds, JsonGuard } from "./json-guard.ts";

const roomy: JsonBounds = { depthMax: 1_000, elementsMax: 1e9, containersMax: 1e9, keysMax: 1e9 };

function guardOf(text: string | Buffer, bounds: JsonBounds = roomy, partBytes = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.from(text);
  const guard = new JsonGuard(bounds);
  for (let from = 0; from < bytes.length; from += partBytes)
    guard.feed(bytes.subarray(from, from + partBytes));
  return guard;
}

/** Members of all objects, by walking what the parser made. */
function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce<number>((sum, one) => sum + membersOf(one), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

const units = fc.string({ unit: "binary", maxLength: 60 });
const halves = fc.array(
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  { maxLength: 8 },
);
const texts = fc.oneof(
  units,
  halves.map((parts) => parts.join("")),
  fc.constantFrom("\\", '"', '\\"', "a".repeat(40)),
);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(texts, tie("value"), { maxKeys: 4 }),
  ),
}));

/** Every character of every string as an escape. */
const escapedAll = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const text: string = JSON.parse(literal);
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("")}"`;
  });

describe("whatever JSON comes, in whatever parts and however it is written", () => {
  const examples = fc
    .tuple(values, fc.constantFrom(undefined, 2), fc.boolean())
    .map(([value, indent, escaped]) => {
      const json = JSON.stringify(value, null, indent);
      return { value, json: escaped ? escapedAll(json) : json };
    });

  // Both look at the value, not at what is parsed: V8 14 takes the names `"` and `\` of one object for the same.
  test("its keys are counted as they were written", () => {
    fc.assert(
      fc.property(examples, fc.integer({ min: 1, max: 9 }), ({ value, json }, partBytes) => {
        expect(guardOf(json, roomy, partBytes).keys).toBe(membersOf(value));
        expect(guardOf(json).keys).toBe(membersOf(value));
      }),
      { numRuns: 1_000 },
    );
  });

  test("exactly texts with U+0000 or half of a surrogate pair are reported", () => {
    const strings = (value: unknown): string[] => {
      if (typeof value === "string") return [value];
      if (typeof value !== "object" || value === null) return [];
      return Object.entries(value).flatMap(([name, inner]) => [name, ...strings(inner)]);
    };
    fc.assert(
      fc.property(examples, fc.integer({ min: 1, max: 9 }), ({ value, json }, partBytes) => {
        const bad = strings(value).some((text) => text.includes("\u0000") || !text.isWellFormed());
        expect(guardOf(json, roomy, partBytes).hasUnstorable).toBe(bad);
        expect(guardOf(json).hasUnstorable).toBe(bad);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("each bound holds to the very one", () => {
  const list = (count: number, element: string) => `[${Array(count).fill(element).join()}]`;
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const members = (count: number) =>
    `{${Array.from({ length: count }, (_, at) => `"k${at}":"a:b,c[{"`).join()}}`;

  test.each<[keyof JsonBounds, number, (count: number) => string]>([
    ["depthMax", 64, nested],
    ["elementsMax", 1_000, (count) => list(count + 1, "0")],
    ["elementsMax", 1_000, (count) => list(count + 1, '"x,y,z"')],
    ["containersMax", 1_000, (count) => list(count - 1, "{}")],
    ["containersMax", 1_000, (count) => list(count - 1, "[]")],
    ["keysMax", 1_000, members],
  ])("%s", (name, max, textOf) => {
    const bounds = { ...roomy, [name]: max };
    expect(() => guardOf(textOf(max), bounds)).not.toThrow();
    expect(() => guardOf(textOf(max + 1), bounds)).toThrow(JsonBoundError);
    expect(() => guardOf(textOf(max + 1), bounds, 7)).toThrow(JsonBoundError);
  });

  test("and is noticed long before the end of an endless text", () => {
    const guard = new JsonGuard({ ...roomy, elementsMax: 1_000 });
    const zeros = Buffer.from("0,".repeat(500));
    guard.feed(zeros);
    guard.feed(zeros);
    expect(() => guard.feed(zeros)).toThrow(/may have 1000 elements at most/);
  });
});

test.each([
  ["a line break each 40 characters", `"${`${"x".repeat(40)}\\n`.repeat(800_000)}"`],
  ["quotes inside", `"${`${"x".repeat(40)}\\"`.repeat(800_000)}"`],
  ["nothing but escapes", `"${"\\n".repeat(16_000_000)}"`],
  ["characters as escapes", `"${"\\u4e2d".repeat(5_500_000)}"`],
  ["short strings", `[${Array(5_000_000).fill('"a"').join()}]`],
  ["numbers", `[${Array(5_000_000).fill("1234").join()}]`],
])("32 MB with %s are counted in time that grows with their length only", (_, text) => {
  const bytes = Buffer.from(text);
  const startedMs = clock.monotonicMs();
  guardOf(bytes, roomy);
  expect(clock.monotonicMs() - startedMs).toBeLessThan(15_000);
});
