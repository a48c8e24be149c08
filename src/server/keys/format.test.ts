import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "#server/platform/crypto.ts";
import { mintKey, parseKey } from "./format.ts";

const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{1,15}$/);
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a minted key is read again, and only its digest and edges come out", () => {
  fc.assert(
    fc.property(prefixes, (prefix) => {
      const key = mintKey(prefix);
      expect(key).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{61}$`));
      expect(parseKey(key, prefix)).toEqual({
        publicId: key.slice(prefix.length + 1, prefix.length + 13),
        digest: sha256(key),
        lastFour: key.slice(-4),
      });
    }),
  );
});

test("a key with any one character altered is refused without a look-up", () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...alphabet, "-", " ", "é"), (position, character) => {
      const key = mintKey("ptl");
      const at = position % key.length;
      if (key[at] === character) return;
      expect(parseKey(`${key.slice(0, at)}${character}${key.slice(at + 1)}`, "ptl")).toBeNull();
    }),
    { numRuns: 2000 },
  );
});

test("two neighbouring characters in the wrong order are refused", () => {
  const key = mintKey("ptl");
  for (let at = 0; at < key.length - 1; at++) {
    const [a = "", b = ""] = [key[at], key[at + 1]];
    if (a !== b) expect(parseKey(key.slice(0, at) + b + a + key.slice(at + 2), "ptl")).toBeNull();
  }
});

test("any other text is refused, however long", () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parseKey(text, "ptl") === null));
  expect(parseKey("ptl_".padEnd(100_000, "a"), "ptl")).toBeNull();
  expect(parseKey(mintKey("ptl"), "ptx")).toBeNull();
  expect(parseKey(mintKey("ptlx"), "ptl")).toBeNull();
  expect(parseKey("", "ptl")).toBeNull();
});

test("keys do not repeat and use the complete alphabet", () => {
  const keys = Array.from({ length: 500 }, () => mintKey("ptl"));
  expect(new Set(keys).size).toBe(500);
  expect(new Set(keys.join("").replaceAll("ptl_", "")).size).toBe(alphabet.length);
});
