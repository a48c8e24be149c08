import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ElementSplitter } from "./element-splitter.ts";

/** What is found when `text` arrives in pieces of so many bytes. */
function split(text: string, pieceBytes = 7, bytesMax = 100_000) {
  const elements: string[] = [];
  const splitter = new ElementSplitter("data", bytesMax, (element) => elements.push(element));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) splitter.feed(bytes.subarray(at, at + pieceBytes));
  return { elements, rest: splitter.end() };
}
const malformed = expect.objectContaining({ failure: expect.objectContaining({ outcome: "malformed" }) });

test("elements and the text around them are separated, however they are written and wherever they are cut", () => {
  const element = fc.oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
  );
  const others = fc.dictionary(
    fc.string().filter((name) => name !== "data" && name !== "__proto__"),
    // Lists of the same name deeper inside are none of the splitter's.
    fc.oneof(fc.jsonValue(), fc.constant({ data: [1, { data: [{}] }] }), fc.constant('"data":[{"a":1}]')),
  );
  fc.assert(
    fc.property(
      fc.array(element),
      others,
      others,
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 1, max: 40 }),
      (data, before, after, indent, pieceBytes) => {
        const given = { ...before, data, ...after };
        const { elements, rest } = split(JSON.stringify(given, null, indent), pieceBytes, 1_000_000);
        const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
        expect(elements.map((text) => JSON.parse(text))).toEqual(plain(data));
        expect(JSON.parse(rest)).toEqual(plain({ ...given, data: [] }));
      },
    ),
    { numRuns: 2000 },
  );
});

test("what is no JSON, whatever is done to it, is not made JSON by it", () => {
  const text = '{"object":"list","data":[{"index":0,"e":[1,2]}, {"index":1,"e":"a\\"]"}],"usage":{"n":[7]}}';
  const complete = (given: string): unknown => {
    const { elements, rest } = split(given);
    return { ...JSON.parse(rest), data: elements.map((element) => JSON.parse(element)) };
  };
  expect(complete(text)).toEqual(JSON.parse(text));
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(3), fc.constantFrom("", ...'{}[],:"\\1x '), (at, cut, put) => {
      const altered = text.slice(0, at) + put + text.slice(at + cut);
      const outcome = (read: () => unknown): unknown => {
        try {
          return read();
        } catch {
          return "broken";
        }
      };
      const parsed = outcome(() => JSON.parse(altered));
      const parts = outcome(() => complete(altered));
      // Elements that are no objects or lists are refused besides.
      if (parts !== "broken") expect(parts).toEqual({ data: [], ...(parsed as object) });
    }),
    { numRuns: 5000 },
  );
});

describe("a list is refused", () => {
  test.each(["[{},]", "[,{}]", "[{} {}]", "[{},,{}]", "[null]", "[1]", '["a"]'])("that is %s", (list) => {
    expect(() => split(`{"data":${list}}`)).toThrow(malformed);
  });

  test.each([
    ["an element of it", `{"data":[{"a":"${"x".repeat(200)}"}]}`],
    ["an element that never ends", `{"data":[{"a":"${"x".repeat(200)}`],
    ["what stands around it", `{"a":"${"x".repeat(200)}","data":[]}`],
    ["what comes in its place", "<html>".repeat(40)],
  ])("when %s is longer than it may be", (_, text) => {
    expect(() => split(text, 7, 150)).toThrow(malformed);
  });

  test("that is cut off leaves no JSON", () => {
    for (const text of ['{"data":[{"a":1}', '{"data":[{"a":1},', '{"data":[', '{"data":[{"a"'])
      expect(() => JSON.parse(split(text).rest)).toThrow(SyntaxError);
  });
});

test("elements that are many times longer than the limit together are taken", () => {
  const { elements } = split(`{"data":[${Array(500).fill('{"a":[1,2,3]}').join(" , ")}]}`, 64, 100);
  expect(elements).toHaveLength(500);
});

test("white space before an answer, however much, is no part of its length", () => {
  const { elements, rest } = split(`${" \r\n".repeat(1000)}{"data":[{"a":1}],"b":2}`, 64, 100);
  expect(elements).toEqual(['{"a":1}']);
  expect(JSON.parse(rest)).toEqual({ data: [], b: 2 });
});
