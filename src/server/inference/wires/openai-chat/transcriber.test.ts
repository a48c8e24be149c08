import fc from "fast-check";
import { accumulateResponse } from "openai/lib/responses/ResponseAccumulator";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import type { ResponseEvent } from "../openai-responses/events.ts";
import { isJson, type Json } from "../shared/json.ts";
import { ChatTranscriber } from "./transcriber.ts";

interface Heard {
  readonly delta: Json;
  readonly logprobs?: readonly unknown[];
}

function transcribe(heard: readonly Heard[], { summary = false, whole = true, custom = ["note"] } = {}) {
  let made = 0;
  const transcriber = new ChatTranscriber({
    summary,
    customTools: new Set(custom),
    newId: (prefix) => `${prefix}_${made++}`,
  });
  const events: ResponseEvent[] = [];
  for (const { delta, logprobs } of heard) {
    transcriber.write(delta, logprobs ?? []);
    events.push(...transcriber.take());
  }
  transcriber.end(whole);
  events.push(...transcriber.take());
  return { events, output: transcriber.output.items() };
}

/** OpenAI's own client puts the events together; it refuses those that do not fit. */
function accumulated(events: readonly ResponseEvent[]): unknown {
  const response = {
    id: "resp_1",
    object: "response",
    status: "in_progress",
    output: [],
  } as unknown as Response;
  let snapshot = accumulateResponse(
    { type: "response.created", sequence_number: 0, response } as ResponseStreamEvent,
    undefined as unknown as Response,
  );
  for (const [at, event] of events.entries())
    snapshot = accumulateResponse(
      { ...event, sequence_number: at + 1 } as unknown as ResponseStreamEvent,
      snapshot,
    );
  return snapshot.output;
}

const word = fc.string({ minLength: 1, maxLength: 6 });
const callPiece = (index: number, name: string) =>
  fc.record({ text: word }).map(({ text }) => ({
    delta: {
      tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: text } }],
    },
  }));
const heard: fc.Arbitrary<Heard> = fc.oneof(
  word.map((content) => ({
    delta: { content },
    logprobs: [{ token: content, logprob: -1, bytes: [], top_logprobs: [] }],
  })),
  word.map((reasoning) => ({ delta: { reasoning } })),
  word.map((refusal) => ({ delta: { refusal } })),
  callPiece(0, "search"),
  callPiece(1, "note"),
  callPiece(2, "search"),
  fc.constant({ delta: { role: "assistant", content: "" } }),
  fc.constant({ delta: {} }),
);
const texts = (list: readonly Heard[], name: string) =>
  list.map(({ delta }) => (typeof delta[name] === "string" ? delta[name] : "")).join("");

const written = (output: readonly Json[], part: string, text: string) =>
  output
    .flatMap(({ content, summary }) =>
      [content, summary].flatMap((list) => (Array.isArray(list) ? list : [])),
    )
    .filter((one) => isJson(one) && one.type === part)
    .map((one) => one[text])
    .join("");

describe("for any chat answer, in any chunks", () => {
  test("its events are understood by OpenAI's own client, and make the final output", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 30 }), fc.boolean(), fc.boolean(), (list, summary, whole) => {
        const { events, output } = transcribe(list, { summary, whole });
        expect(accumulated(events)).toEqual(output);
      }),
      { numRuns: 300 },
    );
  });

  test("no character is lost, doubled or renamed", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 30 }), fc.boolean(), (list, summary) => {
        const { output } = transcribe(list, { summary });
        expect(written(output, "output_text", "text")).toBe(texts(list, "content"));
        expect(written(output, "refusal", "refusal")).toBe(texts(list, "refusal"));
        expect(written(output, summary ? "summary_text" : "reasoning_text", "text")).toBe(
          texts(list, "reasoning"),
        );
        for (const index of [0, 2]) {
          const sent = list.flatMap(
            ({ delta }) => (delta.tool_calls as { index: number; function: { arguments: string } }[]) ?? [],
          );
          const call = output.find(({ call_id }) => call_id === `call_${index}`);
          const text = sent
            .filter((piece) => piece.index === index)
            .map((piece) => piece.function.arguments)
            .join("");
          expect(call?.arguments ?? "").toBe(text);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("every item and part that begins ends once, in between only its own events, each with its place", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 30 }), (list) => {
        const open = new Map<unknown, unknown>();
        let next = 0;
        for (const event of transcribe(list).events) {
          const { type, output_index: at, item } = event;
          const id = isJson(item) ? item.id : event.item_id;
          if (type === "response.output_item.added") {
            expect(at).toBe(next++);
            open.set(at, id);
          } else expect(open.get(at)).toBe(id);
          if (type === "response.output_item.done") open.delete(at);
        }
        expect(open.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

test("a text answer has the events of OpenAI in their order", () => {
  const { events } = transcribe([{ delta: { content: "Hel" } }, { delta: { content: "lo" } }]);
  expect(events.map(({ type }) => type)).toEqual([
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
  ]);
});

test("a custom tool's input comes out of the function it travelled as", () => {
  const pieces = ['{"inp', 'ut":"dear diary"}'].map((text) => ({
    delta: { tool_calls: [{ index: 0, id: "call_1", function: { name: "note", arguments: text } }] },
  }));
  const { output } = transcribe(pieces);
  expect(output).toMatchObject([
    { type: "custom_tool_call", name: "note", input: "dear diary", status: "completed" },
  ]);
});

test("calls that all have the index 0 are distinguished by their ids", () => {
  const call = (id: string) => ({
    delta: { tool_calls: [{ index: 0, id, function: { name: "search", arguments: "{}" } }] },
  });
  expect(transcribe([call("a"), call("b")]).output.map(({ call_id }) => call_id)).toEqual(["a", "b"]);
});

test("what was cut off by a limit is called incomplete", () => {
  expect(transcribe([{ delta: { content: "Half of a sen" } }], { whole: false }).output).toMatchObject([
    { type: "message", status: "incomplete" },
  ]);
});
