import { expect, test } from "vitest";
import { newDraft } from "./draft.ts";
import { draftOfState, fieldChanges } from "./rule-states.ts";

const state = {
  id: "018f0000-0000-7000-8000-000000000001",
  name: "EU only",
  description: null,
  scope: "org",
  workspace_id: null,
  api_key_id: null,
  model: null,
  models: null,
  provider: { data_residency: "eu" },
  enabled: true,
  auto_apply: true,
  created_at: "2026-11-02T09:30:00.000Z",
};
const change = (before: unknown, after: unknown) =>
  fieldChanges({
    position: 1,
    occurred_at: "2026-11-02T09:30:00.000Z",
    action: "routing_rule.update",
    before,
    after,
  });

test("a recorded state becomes the draft that it was", () => {
  expect(draftOfState(state)).toEqual({ ...newDraft, name: "EU only", provider: { data_residency: "eu" } });
});

test("a state that this version does not accept becomes no draft", () => {
  expect(draftOfState({ ...state, provider: { data_residencey: "eu" } })).toBeNull();
  expect(draftOfState(undefined)).toBeNull();
});

test("a change names each field that differs, those of the preferences by themselves", () => {
  const after = { ...state, name: "EU", provider: { zdr: true, data_residency: "de" }, updated_at: "later" };
  expect(change(state, after)).toEqual([
    { field: "name", before: "EU only", after: "EU" },
    { field: "data_residency", before: "eu", after: "de" },
    { field: "zdr", before: null, after: "true" },
  ]);
  expect(change(state, state)).toEqual([]);
});
