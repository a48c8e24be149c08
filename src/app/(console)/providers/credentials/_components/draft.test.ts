import { expect, test } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import { createOf, draftOf, newDraft, updateOf } from "./draft.ts";

const saved: ProviderCredential = {
  id: "0190a000-0000-7000-8000-000000000001",
  provider: "mistral",
  name: "Ours",
  last_four: "6789",
  disabled: false,
  is_fallback: true,
  shared: false,
  sort_order: 3,
  allowed_models: ["mistralai/mistral-small-4"],
  allowed_api_key_hashes: [],
  last_used: null,
  last_check: null,
  problem: null,
  label: "…",
  ...{ workspace_id: null, allowed_user_ids: null, declared_zdr: null },
  ...{ is_byok_only: false, is_required: false },
  created_at: "2026-11-22T00:00:00.000Z",
  updated_at: "2026-11-22T00:00:00.000Z",
};

test("a form that nobody touched changes nothing, not even a list that allows no key", () => {
  expect(updateOf(draftOf(saved), "", saved)).toEqual({ id: saved.id });
});

test("only what was changed is sent, and a secret only when one was typed", () => {
  const draft = { ...draftOf(saved), name: " Theirs ", allowed_models: [] };
  expect(updateOf(draft, "", saved)).toEqual({ id: saved.id, name: "Theirs", allowed_models: null });
  expect(updateOf(draftOf(saved), "sk-new-one", saved)).toEqual({ id: saved.id, key: "sk-new-one" });
});

test("what becomes the installation's own serves everybody, without limits", () => {
  expect(updateOf({ ...draftOf(saved), shared: true }, "", saved)).toEqual({
    id: saved.id,
    shared: true,
    is_fallback: false,
    allowed_models: null,
    allowed_api_key_hashes: null,
  });
  expect(
    createOf({ ...newDraft("mistral"), name: "Everybody's", shared: true, is_fallback: true }, "sk-12345"),
  ).toEqual({
    provider: "mistral",
    key: "sk-12345",
    name: "Everybody's",
    shared: true,
    is_fallback: false,
    sort_order: 0,
    allowed_models: null,
    allowed_api_key_hashes: null,
  });
});
