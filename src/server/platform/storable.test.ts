import fc from "fast-check";
import { expect, test } from "vitest";
import { storable, storableJson } from "./storable.ts";

test("what can be stored is left as it is, what cannot is repaired", () => {
  expect(storable("stop 😀 é")).toBe("stop 😀 é");
  expect(storable("a\u0000b\ud800c\udfff")).toBe("ab\ufffdc\ufffd");
});

test("any value becomes JSON without U+0000 and halves of pairs, and with nothing else changed", () => {
  const values = fc.jsonValue({ stringUnit: "binary" });
  fc.assert(
    fc.property(values, (value) => {
      const json = storableJson(value);
      expect(json).not.toMatch(/\\u0000/);
      const read: unknown = JSON.parse(json);
      expect(JSON.stringify(read)).toBe(json);
      expect(storableJson(read)).toBe(json);
    }),
  );
});
