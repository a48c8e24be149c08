import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import type { Suspension } from "#server/access/suspension.ts";
import type { Freshness } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { authenticateKey, credentialOf } from "./authenticate.ts";
import { mintKey, parseKey } from "./format.ts";

const caller: Extract<Caller, { kind: "key" }> = {
  kind: "key",
  keyId: "k",
  keyName: "Key",
  isApp: false,
  hasBounds: false,
  orgId: "o",
  userId: "u",
  workspaceId: null,
  permissions: new Set(["inference:use"]),
  allowedModels: null,
  budgets: [],
  requestsPerMinute: 600,
};
const key = mintKey("ptl");
interface Known {
  readonly expiresAtMs?: number | null;
  readonly suspension?: Suspension | null;
}
const directoryWith = ({ expiresAtMs = null, suspension = null }: Known) =>
  new Map([[parseKey(key, "ptl")?.digest ?? "", { caller, expiresAtMs, suspension }]]);
const check = (text: string, { freshness = "current", ...known }: Known & { freshness?: Freshness } = {}) =>
  authenticateKey(text, { prefix: "ptl", directory: directoryWith(known), freshness });

describe("which key a request presents", () => {
  test.each([
    ["Bearer abc", undefined, "abc"],
    ["bearer   abc  ", undefined, "abc"],
    [undefined, "abc", "abc"],
    ["Bearer abc", "abc", "abc"],
    [undefined, undefined, null],
  ])("authorization %o and x-api-key %o", (authorization, apiKey, expected) => {
    expect(credentialOf(authorization, apiKey)).toBe(expected);
  });

  test.each(["Basic abc", "abc", "Bearer", "Bearer a b", ""])("%o is no way to present a key", (header) => {
    expect(() => credentialOf(header, undefined)).toThrow(expect.objectContaining({ code: "UNAUTHORIZED" }));
  });

  test("two different keys are refused rather than guessed at", () => {
    expect(() => credentialOf("Bearer a", "b")).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });
});

describe("whose key it is", () => {
  test("no key is authenticated once the directory is stale", () => {
    for (const presented of [key, mintKey("ptl")])
      expect(() => check(presented, { freshness: "stale" })).toThrow(
        expect.objectContaining({ code: "SERVICE_UNAVAILABLE", headers: { "retry-after": "5" } }),
      );
  });

  test("the refusal of a key of a suspended organisation has the reason, unless the key has expired", () => {
    const suspension = { since: "2026-11-01T00:00:00.000Z", reason: "The invoice is not paid" };
    expect(() => check(key, { suspension })).toThrow(
      expect.objectContaining({
        code: "ORGANISATION_SUSPENDED",
        message: expect.stringContaining("The invoice is not paid"),
      }),
    );
    expect(() => check(key, { suspension, expiresAtMs: 1 })).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED" }),
    );
    expect(() => check(mintKey("ptl"), { suspension })).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED" }),
    );
  });

  test("a known key is authenticated, also while the directory is old", () => {
    expect(check(key)).toBe(caller);
    expect(check(key, { freshness: "old" })).toBe(caller);
  });

  test("an unknown key is refused with the challenge of RFC 6750", () => {
    expect(() => check(mintKey("ptl"))).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED", headers: { "www-authenticate": "Bearer" } }),
    );
  });

  test("an expired key is refused from the very millisecond, and a fresh one not before", () => {
    const now = clock.nowMs();
    expect(() => check(key, { expiresAtMs: now })).toThrow(expect.objectContaining({ code: "UNAUTHORIZED" }));
    expect(check(key, { expiresAtMs: now + 60_000 })).toBe(caller);
  });

  test("while the directory is old an unknown key is neither known nor refused", () => {
    expect(() => check(mintKey("ptl"), { freshness: "old" })).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE", headers: { "retry-after": "5" } }),
    );
  });

  test("an expired or malformed key is refused even while the directory is old", () => {
    expect(() => check(key, { expiresAtMs: 1, freshness: "old" })).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED" }),
    );
    expect(() => check("nonsense", { freshness: "old" })).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED" }),
    );
  });
});
