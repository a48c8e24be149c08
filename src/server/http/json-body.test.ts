import { describe, expect, test } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { parseJson } from "./json-body.ts";

const parse = (text: string) => parseJson(Buffer.from(text));
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringMatching(message) });
const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0])));

test("plain JSON comes through as it is, and nothing counts as an empty object", () => {
  expect(parse('{"a":[1,2,{"b":null}],"c":"é"}')).toEqual({ a: [1, 2, { b: null }], c: "é" });
  expect(parse("")).toEqual({});
});

describe("depth", () => {
  test("up to the limit is read, one more is refused", () => {
    expect(parse(nested(limits.body.depthMax))).toBeDefined();
    expect(() => parse(nested(limits.body.depthMax + 1))).toThrow(refused(/64 levels/));
    expect(() => parse(nested(limits.body.depthMax + 1, '{"a":', "}").replace("}", "1}"))).toThrow(
      refused(/64 levels/),
    );
  });

  test("20,000 levels are refused without overflowing the stack", () => {
    expect(() => parse(nested(20_000))).toThrow(refused(/64 levels/));
  });
});

describe("keys", () => {
  test("up to the limit are read, one more is refused", () => {
    expect(Object.keys(parse(keys(limits.body.keysMax)) as object)).toHaveLength(limits.body.keysMax);
    expect(() => parse(keys(limits.body.keysMax + 1))).toThrow(refused(/10000 keys/));
  });

  test("are counted over all objects together", () => {
    const half = keys(limits.body.keysMax / 2);
    expect(() => parse(`[${half},${half},{"one":1}]`)).toThrow(refused(/keys/));
  });

  test.each([
    '{"__proto__":{"admin":true}}',
    '[{"a":{"__proto__":1}}]',
    '{"constructor":{"prototype":{}}}',
    '{"\\u005f_proto__":1}',
  ])("that poison prototypes are refused: %s", (text) => {
    expect(() => parse(text)).toThrow(refused(/__proto__ or constructor/));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("the same words as values are harmless", () => {
    expect(parse('{"prompt":"what is __proto__ and constructor?"}')).toEqual({
      prompt: "what is __proto__ and constructor?",
    });
  });
});

describe("characters", () => {
  test("U+0000 is refused wherever it hides", () => {
    for (const text of ['{"a":"\\u0000"}', '{"\\u0000":1}'])
      expect(() => parse(text)).toThrow(refused(/U\+0000/));
    expect(() => parse('{"a":"\u0000"}')).toThrow(refused(/not valid JSON/));
  });

  test("a backslash before the word u0000 is no U+0000", () => {
    expect(parse('{"a":"\\\\u0000"}')).toEqual({ a: "\\u0000" });
  });
});

test("a syntax error names its line and column and nothing of the body", () => {
  expect(() => parse('{\n  "secret": "hunter2",\n  "b": oops\n}')).toThrow(
    expect.objectContaining({ message: "The body is not valid JSON at line 3 column 8" }),
  );
});

test("a megabyte of hostile brackets is judged within half a second", () => {
  const startedMs = clock.monotonicMs();
  for (const text of ["[".repeat(1_000_000), '{"a":'.repeat(200_000), nested(500_000)]) {
    expect(() => parse(text)).toThrow();
  }
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1500);
});
