import { expect, test } from "vitest";
import { newDraft } from "./draft.ts";
import { jsonOf, readRule } from "./rule-json.ts";

const draft = { ...newDraft, name: "Only here", models: ["mistral/large"] };

test("a rule written as JSON is read back unchanged", () => {
  expect(readRule(jsonOf(draft))).toEqual({ draft });
});

test.each([
  ["what is no JSON", "{ name:", "This is not valid JSON."],
  ["what is no rule", "[]", /^The rule: /],
  ["a field the schema refuses, by its name", jsonOf({ ...draft, name: "" }), /^name: /],
])("%s is reported as a problem and gives no rule to save", (_, text, problem) => {
  expect(readRule(text)).toEqual({ problem: expect.stringMatching(problem) });
});
