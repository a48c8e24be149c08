import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dimensionsOf, fromBase64, toBase64 } from "./vectors.ts";
import { embeddingElements, inputsOf, readVectors } from "./wire.ts";

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true });

describe("base64 of a vector", () => {
  test("is its numbers as little-endian 32-bit floats", () => {
    expect(Buffer.from(toBase64([1, -2]), "base64")).toEqual(Buffer.from([0, 0, 128, 63, 0, 0, 0, 192]));
  });

  test("gives the same 32-bit numbers back, and nearest ones for finer numbers", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(float32, fc.double({ min: -1, max: 1, noNaN: true })), { minLength: 1 }),
        (numbers) => {
          const text = toBase64(numbers);
          expect(dimensionsOf(text)).toBe(numbers.length);
          expect(fromBase64(text)).toEqual(numbers.map(Math.fround));
        },
      ),
    );
  });

  test("of what is no number is refused", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "1", null])
      expect(() => toBase64([0, value as number])).toThrow(/no number/);
  });
});

test.each([
  ["text", "one", ["one"]],
  ["texts", ["one", "two"], ["one", "two"]],
  ["tokens", [1, 2, 3], [[1, 2, 3]]],
  ["lists of tokens", [[1, 2], [3]], [[1, 2], [3]]],
])("inputs given as %s", (_, input, inputs) => {
  expect(inputsOf({ input } as Parameters<typeof inputsOf>[0])).toEqual(inputs);
});

describe("an upstream's vectors", () => {
  const entry = (index: number, embedding: unknown = [0.5, 0.25]) => ({
    object: "embedding",
    index,
    embedding,
  });
  const read = (data: unknown, more: Partial<Parameters<typeof readVectors>[1]> = {}) =>
    readVectors(data, { count: 2, dimensions: null, format: null, ...more }).map((vector) =>
      JSON.parse(vector),
    );

  test("pass to the digit as they were written, when they come one by one", () => {
    const body = { encoding_format: "float" };
    const passed = (text: string) => {
      const read = embeddingElements.read(JSON.parse(text), text, body);
      return readVectors([read], { count: 1, dimensions: null, format: "float" })[0];
    };
    const numbers = "[1e-7, 0.10000000149011612, -0.0, 100]";
    expect(passed(`{"index":0,"embedding":${numbers},"object":"embedding"}`)).toBe(numbers);
    // A second list could be the one that is found.
    expect(passed(`{"others":[7],"index":0,"embedding":[0.50,1]}`)).toBe("[0.5,1]");
    expect(passed(`{"object":"a [ in a text","index":0,"embedding":[0.50,1]}`)).toBe("[0.5,1]");
  });

  test("come in the order of the inputs", () => {
    expect(read([entry(1, [3, 4]), entry(0, [1, 2])])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("are turned into the format the client wants, whichever the upstream gave", () => {
    const text = toBase64([0.5, 0.25]);
    expect(read([entry(0), entry(1, text)], { format: "base64" })).toEqual([text, text]);
    expect(read([entry(0), entry(1, text)], { format: "float" })).toEqual([
      [0.5, 0.25],
      [0.5, 0.25],
    ]);
  });

  test.each([
    ["none", undefined],
    ["one too few", [entry(0)]],
    ["one too many", [entry(0), entry(1), entry(2)]],
    ["one twice", [entry(0), entry(0)]],
    ["one of no input", [entry(0), entry(2)]],
    ["an empty one", [entry(0, []), entry(1, [])]],
    ["different lengths", [entry(0), entry(1, [1])]],
    ["uneven bytes", [entry(0, "AAA="), entry(1, "AAA=")]],
    ["no vector", [entry(0), entry(1, null)]],
    ["vectors of vectors", [entry(0, [[1]]), entry(1, [[1]])]],
    ["a null", [entry(0), null]],
  ])("with %s count as malformed", (_, data) => {
    expect(() => read(data)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ outcome: "malformed" }) }),
    );
  });

  test("of another length than was asked for count as malformed", () => {
    expect(read([entry(0), entry(1)], { dimensions: 2 })).toHaveLength(2);
    expect(() => read([entry(0), entry(1)], { dimensions: 3 })).toThrow(/wrong length/);
  });
});
