import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownPath } from "./own-path.ts";

const origins = ["http://localhost:3000", "https://portolan.example.eu"];

/** Pieces that browsers and URL parsers read in surprising ways. */
const hostile = fc.constantFrom(
  ...[
    "/",
    "//",
    "\\",
    "\t",
    "\n",
    "\r",
    "\u0000",
    "\u007f",
    "\u0085",
    " ",
    ".",
    "..",
    "/.//",
    "@",
    ":",
    "?",
    "#",
  ],
  ...["%2f", "%5c", "%09", "http:", "https:", "HTTPS:/", "javascript:", "data:", "blob:", "file:", "ws:"],
  ...[
    "evil.example",
    "http://own.invalid",
    "own.invalid",
    "localhost:3000",
    "user:pw@",
    "[::1]",
    "。",
    "／",
    "\ud800",
  ],
);
const target = fc.oneof(
  fc
    .array(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 12 })
    .map((parts) => parts.join("")),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

describe("a redirect", () => {
  test("never leaves the origin, for any text", () => {
    fc.assert(
      fc.property(target, fc.constantFrom(...origins), (text, origin) => {
        const path = ownPath(text);
        expect(path).toMatch(/^\/(?![/\\])/);
        expect(path).not.toMatch(/[\p{Cc}\\]/u);
        expect(new URL(path, `${origin}/sign-in`).origin).toBe(origin);
        expect(ownPath(path)).toBe(path);
      }),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ...["/\t/evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/.//evil.example"],
    ...["https://evil.example", "http:evil.example", "javascript:alert(1)", "blob:http://own.invalid/x"],
    ...[
      "\u0000//evil.example",
      "/a\r\nSet-Cookie: x=1",
      " //evil.example",
      "///evil.example",
      null,
      undefined,
      7,
    ],
  ])("to %j leads to the start", (text) => {
    expect(ownPath(text)).toBe("/");
  });

  test.each(["/docs?x=1", "/logs?status=failed&range=7d#top", "/auth?state=a%20b%2Bc", "/models/a%2Fb"])(
    "to %s, a path of ours, leads there unchanged",
    (path) => {
      expect(ownPath(path)).toBe(path);
    },
  );
});
