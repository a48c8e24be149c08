import fc from "fast-check";
import { expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { bodyOf, type Draft, emptyDraft, problemOf } from "./draft.ts";
import { draftOf, fragmentOf } from "./shared-draft.ts";

const drafts: fc.Arbitrary<Draft> = fc.record({
  operation: fc.constantFrom("chat", "responses", "completions", "rerank"),
  models: fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 2 }),
  system: fc.string({ unit: "grapheme" }),
  history: fc.array(fc.record({ role: fc.constant("user"), content: fc.string({ unit: "grapheme" }) })),
  input: fc.string({ unit: "grapheme" }),
  documents: fc.string(),
  tools: fc.string(),
  fields: fc.string(),
  temperature: fc.option(fc.constantFrom(0, 0.5, 2)),
  max_tokens: fc.option(fc.integer({ min: 1, max: 9999 })),
  stream: fc.boolean(),
});

test("a shared link restores every draft exactly", () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      expect(draftOf(fragmentOf(draft))).toEqual(draft);
    }),
  );
});

test("a broken link gives no draft and no error", () => {
  for (const fragment of ["", "#", "#%%%", "#e30=x", "#bnVsbA=="]) expect(draftOf(fragment)).toBeNull();
});

test("the body of a draft matches the schema of the API", () => {
  const draft = { ...emptyDraft, models: ["a/b"], system: "Be kind", input: "Hi", temperature: 0.5 };
  expect(ChatRequest.parse(bodyOf(draft, "a/b", [])).messages).toHaveLength(2);
  expect(CompletionRequest.parse(bodyOf({ ...draft, operation: "completions" }, "a/b", []))).toMatchObject({
    prompt: "Hi",
    max_tokens: 512,
    temperature: 0.5,
    stream: true,
  });
});

test("a missing field is reported before anything is sent", () => {
  const draft = { ...emptyDraft, models: ["a/b"], input: "Hi" };
  expect(problemOf(draft)).toBeNull();
  expect(problemOf({ ...draft, models: ["a/b", ""] })).toBe("Choose a model");
  expect(problemOf({ ...draft, input: " " })).toBe("Enter a message");
  expect(problemOf({ ...draft, operation: "rerank" })).toBe("Add documents, one per line");
  expect(problemOf({ ...draft, tools: "{}" })).toBe("Tools: must be a JSON array");
  expect(problemOf({ ...draft, fields: "[]" })).toBe("Other parameters: must be a JSON object");
});

test("other parameters are added to the body and never replace fields of the form", () => {
  const draft = { ...emptyDraft, input: "Hi", fields: '{ "top_p": 0.5, "model": "x/y", "stream": false }' };
  expect(bodyOf(draft, "a/b", [])).toMatchObject({ top_p: 0.5, model: "a/b", stream: true });
});
