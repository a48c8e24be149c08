import { expect, test } from "vitest";
import { bodyOf, problemOf } from "./draft.ts";
import { draftOfReplay } from "./replayed-draft.ts";

const replay = (operation: string, body: Record<string, unknown>) =>
  draftOfReplay({ operation, body, content_kept: "input" in body, answer: null });

/** What the draft of a replayed request would send. */
function sent(operation: string, body: Record<string, unknown>) {
  const draft = replay(operation, body);
  return draft && bodyOf(draft, draft.models[0] ?? "", []);
}

test("a replayed request has every field of the stored one", () => {
  const body = {
    model: "a/b",
    instructions: "Be brief.",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Weather?" }] },
      { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "Rain" },
    ],
    tools: [{ type: "function", name: "look" }],
    tool_choice: "auto",
    temperature: 0,
    max_output_tokens: 8,
    provider: { data_residency: "eu" },
    stream: true,
  };
  expect(sent("responses", body)).toEqual({ ...body, store: false });
});

test("the last message can be changed before it is sent", () => {
  const draft = replay("responses", {
    model: "a/b",
    input: [
      { type: "message", role: "user", content: "One" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "1" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Two" }] },
    ],
  });
  expect(draft?.input).toBe("Two");
  expect(draft?.history).toHaveLength(2);
});

test("without stored content the rest is filled in, and the message is asked for", () => {
  const draft = replay("chat", { model: "a/b", max_tokens: 9, top_p: 0.5 });
  expect(draft).toMatchObject({ operation: "chat", models: ["a/b"], max_tokens: 9, stream: false });
  expect(draft && problemOf(draft)).toBe("Enter a message");
  expect(sent("completions", { model: "a/b", max_tokens: 9, top_p: 0.5 })).toEqual({
    model: "a/b",
    max_tokens: 9,
    top_p: 0.5,
    prompt: "",
  });
  expect(sent("rerank", { model: "a/r", top_n: 2 })).toMatchObject({ model: "a/r", top_n: 2 });
});

test("an operation without a form gives no draft", () => {
  expect(replay("embeddings", { model: "a/e" })).toBeNull();
});
