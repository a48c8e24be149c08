import { expect, test } from "vitest";
import { newDraft } from "./draft.ts";
import { withSuggestion } from "./suggested-change.ts";

const draft = { ...newDraft, name: "EU", provider: { data_residency: "eu", zdr: true } };

test("a suggestion sets or removes preferences, and leaves the others", () => {
  expect(withSuggestion(draft, '{"data_residency":"at"}').provider).toEqual({
    data_residency: "at",
    zdr: true,
  });
  expect(withSuggestion(draft, '{"data_residency":null}').provider).toEqual({ zdr: true });
});

test.each([
  null,
  "",
  "{",
  "[]",
  "null",
  '"eu"',
  '{"data_residencey":"at"}',
  '{"zdr":"maybe"}',
  '{"name":"x"}',
])("%j changes nothing", (suggestion) => {
  expect(withSuggestion(draft, suggestion)).toEqual(draft);
});
