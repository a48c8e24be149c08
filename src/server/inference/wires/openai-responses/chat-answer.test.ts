import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatMessage } from "#contract/chat.ts";
import { limits } from "#server/platform/limits.ts";
import type { ChatChunk } from "../openai-chat/wire.ts";
import { isJson, type Json } from "../shared/json.ts";
import { responseChatReader } from "./chat-answer.ts";
import { itemsOfChat } from "./chat-items.ts";

const word = fc.string({ minLength: 1, maxLength: 6 });
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** An item of an output, and the pieces in which its text is streamed; none: it is only there when it is complete. */
interface Said {
  readonly item: Json;
  readonly pieces: readonly string[];
}
const reasoning = fc.record({ id: fc.uuid(), summary: fc.array(word, { maxLength: 1 }), data: word });
const turn = fc
  .record({
    before: fc.array(reasoning, { maxLength: 2 }),
    said: fc.array(word, { maxLength: 4 }),
    calls: fc.array(fc.record({ before: fc.array(reasoning, { maxLength: 1 }), given: fc.array(word) }), {
      maxLength: 3,
    }),
    isStreamed: fc.boolean(),
  })
  .map(({ before, said, calls, isStreamed }): readonly Said[] => {
    const thoughts = (all: typeof before): Said[] =>
      all.map(({ id, summary, data }) => ({
        item: {
          type: "reasoning",
          id,
          summary: summary.map((one) => ({ type: "summary_text", text: one })),
          encrypted_content: data,
        },
        pieces: isStreamed ? summary : [],
      }));
    const content = [{ type: "output_text", text: said.join(""), annotations: [] }];
    const message = { type: "message", role: "assistant", content };
    return [
      ...thoughts(before),
      ...(said.length > 0 ? [{ item: message, pieces: isStreamed ? said : [] }] : []),
      ...calls.flatMap(({ before: first, given }, at) => {
        const call = { type: "function_call", call_id: `call_${at}`, name: "find" };
        return [
          ...thoughts(first),
          { item: { ...call, arguments: given.join("") || "{}" }, pieces: isStreamed ? given : [] },
        ];
      }),
    ];
  });

const deltas: Readonly<Record<string, string>> = {
  reasoning: "response.reasoning_summary_text.delta",
  message: "response.output_text.delta",
  function_call: "response.function_call_arguments.delta",
};
const begun = (item: Json): Json => ({
  ...item,
  ...(item.type === "function_call" && { arguments: "" }),
  ...(item.type === "message" && { content: [] }),
  ...(item.type === "reasoning" && { summary: [], encrypted_content: "unfinished" }),
});
const usage = { input_tokens: 9, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } };
const responseOf = (said: readonly Said[], own: Json = {}): Json => ({
  object: "response",
  status: "completed",
  output: said.map(({ item }) => item),
  usage,
  service_tier: "default",
  ...own,
});
const eventsOf = (said: readonly Said[], own: Json = {}): readonly Json[] => [
  { type: "response.created", response: { status: "in_progress", output: [] } },
  ...said.flatMap(({ item, pieces }, output_index) => [
    { type: "response.output_item.added", output_index, item: begun(item) },
    ...pieces.map((delta) => ({
      type: deltas[String(item.type)],
      output_index,
      summary_index: 0,
      content_index: 0,
      delta,
    })),
    { type: "response.output_item.done", output_index, item },
  ]),
  { type: "response.completed", response: responseOf(said, own) },
];

function streamed(events: readonly Json[]): readonly ChatChunk[] {
  const reader = responseChatReader(false);
  const chunks = events.flatMap((event) => reader.event(event) ?? []);
  return [...chunks, reader.end()];
}

/** The message that a client puts together. */
function messageOf(chunks: readonly ChatChunk[]): Json {
  const message: Json = { role: "assistant", content: null };
  const calls: Json[] = [];
  for (const { choices } of chunks)
    for (const { delta = {} } of choices) {
      if (delta.content) message.content = text(message.content) + delta.content;
      if (delta.reasoning) message.reasoning = text(message.reasoning) + delta.reasoning;
      const details = list(delta.reasoning_details);
      if (details.length > 0) message.reasoning_details = [...list(message.reasoning_details), ...details];
      for (const { index, ...piece } of list(delta.tool_calls)) {
        const known = calls[Number(index)];
        const [old, next]: Json[] = [known?.function, piece.function].map((one) => (isJson(one) ? one : {}));
        const given = text(old?.arguments) + text(next?.arguments);
        calls[Number(index)] = { ...known, ...piece, function: { ...old, ...next, arguments: given } };
      }
    }
  const { reasoning } = message;
  return {
    ...message,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

describe("for any answer of the responses operation, in any pieces", () => {
  test("the chunks of chat make the message of the complete answer, with its end and its usage", () => {
    fc.assert(
      fc.property(turn, (said) => {
        const [choice] = responseChatReader(false).answer(responseOf(said)).choices;
        const chunks = streamed(eventsOf(said));
        expect(messageOf(chunks)).toEqual(choice?.message);
        const called = said.some(({ item }) => item.type === "function_call");
        expect(chunks.at(-1)?.finishReason).toBe(called ? "tool_calls" : "stop");
        expect(choice?.finish_reason).toBe(chunks.at(-1)?.finishReason);
        const [used] = chunks.flatMap((chunk) => chunk.usage ?? []);
        expect(used).toMatchObject({ uncached: 9, completion: 5, reasoning: 2 });
      }),
      { numRuns: 300 },
    );
  });

  test("the message that is sent back becomes the items of the answer again, in their order", () => {
    fc.assert(
      fc.property(turn, (said) => {
        const message = messageOf(streamed(eventsOf(said))) as ChatMessage;
        const expected = said.map(({ item }) =>
          item.type === "message"
            ? { ...item, content: list(item.content).map(({ annotations: _, ...part }) => part) }
            : item,
        );
        // Reasoning at the end led to nothing.
        while (expected.at(-1)?.type === "reasoning") expected.pop();
        expect(itemsOfChat([message]).items).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test("an answer of which no item was streamed is in the last chunk", () => {
    fc.assert(
      fc.property(turn, (said) => {
        const [choice] = responseChatReader(false).answer(responseOf(said)).choices;
        const chunks = streamed([{ type: "response.completed", response: responseOf(said) }]);
        expect(messageOf(chunks)).toEqual(choice?.message);
      }),
      { numRuns: 100 },
    );
  });
});

const hello: readonly Said[] = [
  { item: { type: "message", content: [{ type: "output_text", text: "Hello" }] }, pieces: ["Hel", "lo"] },
];

test.each([
  [{ status: "completed" }, "stop", "completed"],
  [
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    "length",
    "max_output_tokens",
  ],
  [
    { status: "incomplete", incomplete_details: { reason: "content_filter" } },
    "content_filter",
    "content_filter",
  ],
])("an answer with %j ends as chat has it", (own, reason, native) => {
  for (const end of [
    responseChatReader(false).answer(responseOf(hello, own)),
    streamed(eventsOf(hello, own)).at(-1),
  ])
    expect([end?.finishReason, end?.nativeFinishReason]).toEqual([reason, native]);
});

test.each([
  [{ code: "rate_limit_exceeded", message: "Slow down" }, "rate_limited"],
  [{ code: "server_error", message: "Oops" }, "server_error"],
  [{ code: "invalid_prompt", message: "No" }, "rejected"],
])("a failure %j keeps its meaning, complete and streamed", (error, outcome) => {
  const failed = { status: "failed", error };
  const failure = expect.objectContaining({ failure: expect.objectContaining({ outcome }) });
  expect(() => responseChatReader(false).answer(responseOf([], failed))).toThrow(failure);
  const failing = { type: "response.failed", response: responseOf([], failed) };
  expect(() => responseChatReader(false).event(failing)).toThrow(failure);
  expect(() => responseChatReader(false).event({ type: "error", ...error })).toThrow(failure);
});

const { partsMax } = limits.upstream;
const delta = { type: "response.output_text.delta", delta: "a" };
const last = { type: "response.completed", response: responseOf(hello) };
test.each<[string, readonly Json[]]>([
  ["ends before it is complete", eventsOf(hello).slice(0, -1)],
  ["goes on after its end", [...eventsOf(hello), { ...delta, output_index: 0 }]],
  ["has too many items", [{ ...delta, output_index: partsMax }, last]],
  ["has an item without a place", [delta, last]],
  ["ends without a response", [{ type: "response.completed" }]],
  ["is still in progress at its end", [{ ...last, response: responseOf(hello, { status: "in_progress" }) }]],
])("a stream that %s is a broken answer", (_, events) => {
  expect(() => streamed(events)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ outcome: "malformed" }) }),
  );
});

test("refusals, citations, log probabilities and several messages are those of chat", () => {
  const citation = { type: "url_citation", url: "https://example.com", title: "A" };
  const logprobs = [{ token: "Hi", logprob: -1 }];
  const content = [{ type: "output_text", text: "Hi", annotations: [citation], logprobs }];
  const said: readonly Said[] = [
    { item: { type: "message", content }, pieces: [] },
    { item: { type: "message", content: [{ type: "refusal", refusal: "No." }] }, pieces: [] },
    { item: { type: "message", content: [{ type: "output_text", text: "Bye" }] }, pieces: ["By", "e"] },
  ];
  const { choices } = responseChatReader(false).answer(responseOf(said));
  const { type, ...cited } = citation;
  expect(choices).toMatchObject([
    {
      message: { content: "Hi\n\nBye", refusal: "No.", annotations: [{ type, url_citation: cited }] },
      logprobs: { content: logprobs },
    },
  ]);
  expect(messageOf(streamed(eventsOf(said))).content).toBe("Hi\n\nBye");
});

test("reasoning that is excluded is in no chunk", () => {
  const item = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "x" };
  const reader = responseChatReader(true);
  const chunks = eventsOf([{ item, pieces: ["Hm"] }, ...hello]).flatMap((event) => reader.event(event) ?? []);
  expect(JSON.stringify(chunks.map(({ choices }) => choices))).not.toMatch(/Hm|encrypted/);
});
