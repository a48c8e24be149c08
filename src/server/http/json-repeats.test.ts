import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedName } from "./json-repeats.ts";

test.each([
  ['{"a":1,"a":2}', ["a"]],
  ['{"provider":{"only":["x"]},"b":[{"c":1},{"d":{"e":1,"f":2,"e":3}}]}', ["b", 1, "d", "e"]],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a" :1 , "a"\n: 2}', ["a"]],
  ['{"":1,"":2}', [""]],
  ['[[],[{"x":0}],{"x":{"x":1},"x":1}]', [2, "x"]],
  ['{"a":{"a":{"a":"a"}},"b":["a","a"],"c":"{\\"a\\":1,\\"a\\":2}"}', null],
])("%s", (text, path) => {
  expect(repeatedName(text)).toEqual(path);
});

test("output of JSON.stringify has no repeated names, and an inserted one is found", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, name) => {
      const json = JSON.stringify(value);
      expect(repeatedName(json)).toBeNull();
      const twice = `[${json},{${JSON.stringify(name)}:${json},"other":0,${JSON.stringify(name)}:0}]`;
      expect(repeatedName(twice)).toEqual([1, name]);
    }),
  );
});
