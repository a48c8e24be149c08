import fc from "fast-check";
import { expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { bodyOf, contentOf, type Draft, emptyDraft, problemOf } from "./draft.ts";
import { draftOf, fragmentOf } from "./shared-draft.ts";

const drafts: fc.Arbitrary<Draft> = fc.record({
  operation: fc.constantFrom("chat", "responses", "completions", "rerank"),
  models: fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 2 }),
  system: fc.string({ unit: "grapheme" }),
  history: fc.array(fc.record({ role: fc.constant("user"), content: fc.string({ unit: "grapheme" }) })),
  input: fc.string({ unit: "grapheme" }),
  images: fc.constant([]),
  documents: fc.string(),
  tools: fc.string(),
  schema: fc.string(),
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

const png = "data:image/png;base64,AA==";
const schema = '{ "type": "object" }';
const inForm = { ...emptyDraft, input: "Which port?", images: [png], schema };

test("images and the schema of the answer are sent as the operation spells them", () => {
  const chat = ChatRequest.parse(bodyOf(inForm, "a/b", []));
  expect(chat).toMatchObject({
    messages: [
      {
        content: [
          { type: "text", text: "Which port?" },
          { type: "image_url", image_url: { url: png } },
        ],
      },
    ],
    response_format: { type: "json_schema", json_schema: { strict: true, schema: { type: "object" } } },
  });
  const responses = ResponseRequest.parse(bodyOf({ ...inForm, operation: "responses" }, "a/b", []));
  expect(responses).toMatchObject({
    input: [
      {
        content: [
          { type: "input_text", text: "Which port?" },
          { type: "input_image", image_url: png },
        ],
      },
    ],
    text: { format: { type: "json_schema", strict: true, schema: { type: "object" } } },
  });
  const completion = bodyOf({ ...inForm, operation: "completions" }, "a/b", []);
  expect(Object.keys(completion).toSorted()).toEqual(["max_tokens", "model", "prompt", "stream"]);
});

test("an image is enough of a message, where messages can have images", () => {
  const draft = { ...inForm, models: ["a/b"], input: "" };
  expect(problemOf(draft)).toBeNull();
  expect(contentOf(draft)).toEqual([{ type: "image_url", image_url: { url: png } }]);
  expect(problemOf({ ...draft, operation: "completions" })).toBe("Enter a message");
});

test("a missing field is reported before anything is sent", () => {
  const draft = { ...emptyDraft, models: ["a/b"], input: "Hi" };
  expect(problemOf(draft)).toBeNull();
  expect(problemOf({ ...draft, models: ["a/b", ""] })).toBe("Choose a model");
  expect(problemOf({ ...draft, input: " " })).toBe("Enter a message");
  expect(problemOf({ ...draft, operation: "rerank" })).toBe("Add documents, one per line");
  expect(problemOf({ ...draft, tools: "{}" })).toBe("Tools: must be a JSON array");
  expect(problemOf({ ...draft, schema: "[]" })).toBe("Schema of the answer: must be a JSON object");
  expect(problemOf({ ...draft, operation: "completions", schema: "[]", tools: "{}" })).toBeNull();
  expect(problemOf({ ...draft, fields: "[]" })).toBe("Other parameters: must be a JSON object");
});

test("other parameters are added to the body and never replace fields of the form", () => {
  const draft = { ...emptyDraft, input: "Hi", fields: '{ "top_p": 0.5, "model": "x/y", "stream": false }' };
  expect(bodyOf(draft, "a/b", [])).toMatchObject({ top_p: 0.5, model: "a/b", stream: true });
});
