import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ApiKey, ApiKeyCreate, ApiKeyUpdate } from "#contract/key.ts";
import { Permission } from "#contract/permission.ts";
import { bodyOf, changeOf, draftOf, newDraft } from "./key-draft.ts";

const past = "2020-01-01T00:00:00.000Z";
const stored: ApiKey = {
  id: "0190a000-0000-7000-8000-000000000000",
  hash: "AAAAAAAAAAAA",
  name: "Search",
  label: "AAAAAAAAAAAA…wxyz",
  ...{
    limit: 1.5,
    effective_limit: 1.5,
    limit_remaining: 1,
    limit_reset: "monthly",
    usage: 0.5,
    usage_daily: 0.5,
  },
  ...{ usage_weekly: 0.5, usage_monthly: 0.5, byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0 },
  ...{ byok_usage_monthly: 0, include_byok_in_limit: false, requests_per_minute: 60 },
  permissions: ["inference:use"],
  allowed_models: ["sandbox/chat"],
  ...{ workspace_id: null, creator_user_id: "0190a000-0000-7000-8000-000000000001" },
  ...{
    app_host: null,
    external_user: null,
    parent_hash: null,
    disabled: false,
    expires_at: past,
    last_used: null,
  },
  ...{ created_at: past, updated_at: past },
};

const drafts = fc.record({
  name: fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,20}[A-Za-z]$/),
  limit: fc.oneof(
    fc.constant(""),
    fc.integer({ min: 0, max: 10 ** 12 }).map((micro) => (micro / 1e6).toFixed(6)),
  ),
  limit_reset: fc.constantFrom(null, "daily" as const, "weekly" as const, "monthly" as const),
  include_byok_in_limit: fc.boolean(),
  requests_per_minute: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
  ends: fc.constantFrom("", "1", "365", "2100-01-01T00:00:00.000Z"),
  allowed_models: fc.option(fc.array(fc.constantFrom("sandbox/chat", "sandbox/rerank"), { maxLength: 3 })),
  permissions: fc.subarray([...Permission.options]),
  workspace_id: fc.option(fc.uuid()),
});

describe("a key in a form", () => {
  test("every draft is a body that the contract accepts, for a new key and for a change", () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        expect(ApiKeyCreate.safeParse(bodyOf(draft)).error).toBeUndefined();
        const change = { hash: stored.hash, ...changeOf(stored, draft) };
        expect(ApiKeyUpdate.safeParse(change).error).toBeUndefined();
      }),
    );
  });

  test("a change sends only the fields that differ: an expiry in the past does not prevent a new name", () => {
    expect(changeOf(stored, draftOf(stored))).toEqual({});
    expect(changeOf(stored, { ...draftOf(stored), name: "Find" })).toEqual({ name: "Find" });
    expect(changeOf(stored, { ...draftOf(stored), limit: "" })).toEqual({ limit: null, limit_reset: null });
    expect(changeOf(stored, { ...draftOf(stored), allowed_models: [] })).toEqual({ allowed_models: [] });
  });

  test("a new key may only send requests", () => {
    expect(bodyOf(newDraft).permissions).toEqual(["inference:use"]);
  });
});
