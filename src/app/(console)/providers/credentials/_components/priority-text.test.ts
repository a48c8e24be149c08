import { expect, test } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import { priorityText } from "./priority-text.ts";

const credential = (id: string, own: Partial<ProviderCredential> = {}): ProviderCredential => ({
  id,
  provider: "mistral",
  name: id,
  last_four: null,
  disabled: false,
  is_fallback: false,
  shared: false,
  sort_order: 0,
  allowed_models: null,
  allowed_api_key_hashes: null,
  last_used: null,
  last_check: null,
  problem: null,
  label: "…",
  ...{ workspace_id: null, allowed_user_ids: null, declared_zdr: null },
  ...{ is_byok_only: false, is_required: false },
  created_at: "2026-11-22T00:00:00.000Z",
  updated_at: "2026-11-22T00:00:00.000Z",
  ...own,
});

test("of several with the same priority each has its position; others do not count", () => {
  const [first, second] = [credential("1"), credential("2", { allowed_models: ["a/b"] })];
  const all = [
    first,
    credential("off", { disabled: true }),
    credential("elsewhere", { provider: "scaleway" }),
    credential("reserve", { is_fallback: true }),
    second,
  ];
  expect(priorityText(first, all)).toEqual({ when: "Before the shared credential, 1 of 2", only: null });
  expect(priorityText(second, all)).toEqual({
    when: "Before the shared credential, 2 of 2",
    only: "only 1 model",
  });
  expect(priorityText(credential("reserve", { is_fallback: true }), all).when).toBe(
    "After the shared credential",
  );
});

test("an empty list allows nothing", () => {
  const none = credential("none", { allowed_models: [], allowed_api_key_hashes: ["A", "B"] });
  expect(priorityText(none, [none]).only).toBe("for no model, 2 keys");
  expect(priorityText(credential("all", { shared: true }), []).when).toBe("All organisations");
});
