import { expect, test } from "vitest";
import { z } from "zod";
import { AnyJson, recordOf } from "./bounded.ts";
import { CompletionRequest } from "./completions.ts";
import { EmbeddingRequest } from "./embeddings.ts";
import { bodyBytesMax, tokensMax } from "./sizes.ts";

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

test("a record accepts its maximum of keys and not one more, and the error names the maximum", () => {
  const Record = recordOf(AnyJson, { max: 16, keyCharsMax: 8 });
  expect(Record.safeParse(keys(16)).success).toBe(true);
  expect(Record.safeParse(keys(17)).error?.issues).toMatchObject([{ message: "may have 16 keys at most" }]);
  expect(Record.safeParse({ ["k".repeat(8)]: [{ any: null }] }).success).toBe(true);
  expect(Record.safeParse({ ["k".repeat(9)]: 1 }).success).toBe(false);
  expect(z.toJSONSchema(Record, { unrepresentable: "any" })).toMatchObject({ maxProperties: 16 });
});

const lists: readonly (readonly [string, (value: unknown) => boolean, number, boolean])[] = [
  ["a prompt", (prompt) => CompletionRequest.safeParse({ prompt }).success, bodyBytesMax.prompt, true],
  ["an input", (input) => EmbeddingRequest.safeParse({ input }).success, bodyBytesMax.embedding, false],
];

test.each(lists)(
  "%s is a text, tokens or a list of either, within its bounds",
  (_, fits, charsMax, mayBeEmpty) => {
    for (const value of ["a", ["a", "b"], [1, 2], [[1], [2, 3]], Array(2048).fill("a"), "a".repeat(charsMax)])
      expect(fits(value)).toBe(true);
    for (const value of [3, null, {}, [], [[]], [-1], [1.5], ["a", 1], [1, "a"], [[1], "a"], [["a"]], [null]])
      expect(fits(value)).toBe(false);
    expect(fits("")).toBe(mayBeEmpty);
    expect(fits([""])).toBe(mayBeEmpty);
    expect(fits(Array(2049).fill("a"))).toBe(false);
    expect(fits(Array(2049).fill([1]))).toBe(false);
    expect(fits("a".repeat(charsMax + 1))).toBe(false);
    expect(fits(Array(tokensMax).fill(1))).toBe(true);
    expect(fits(Array(tokensMax + 1).fill(1))).toBe(false);
  },
);
