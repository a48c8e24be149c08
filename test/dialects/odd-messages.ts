import type { Heard } from "#test/operations.ts";

/** What the odd provider answers, as the choices of a complete answer or the events of a streamed one. */
export interface Odd {
  readonly complete: object;
  readonly events: readonly object[];
}
export const head = { id: "c", object: "chat.completion", created: 1, model: "m" };
export const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
export const choice = (own: object) => ({ index: 0, finish_reason: null, ...own });

/** One message of chat, complete and as a delta. */
export const said = (message: object, finish_reason = "stop"): Odd => ({
  complete: {
    ...head,
    choices: [choice({ message: { role: "assistant", ...message }, finish_reason })],
    usage,
  },
  events: [
    { ...head, choices: [choice({ delta: { role: "assistant", ...message } })] },
    { ...head, choices: [choice({ delta: {}, finish_reason })] },
  ],
});

const silent = {
  ends: 1,
  error: null,
  text: "",
  reasoning: "",
  refusal: "",
  calls: [],
} satisfies Partial<Heard>;
export const rejected = { ...silent, rejected: true, text: "Hello" };
export const repaired = (own: Partial<Heard>) => ({ ...silent, rejected: false, ...own });

const call = (own: object) => ({
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: "{}" },
  ...own,
});
const calling = (own: object) => said({ content: null, tool_calls: [call(own)] }, "tool_calls");
export const asked = (given: string) => repaired({ calls: [["weather", given]] });

/** Odd messages of chat and what becomes of them wherever the answer may hold what they say. */
export const oddMessages: Readonly<Record<string, readonly [Odd, ReturnType<typeof repaired>]>> = {
  "arguments as an object": [
    calling({ function: { name: "weather", arguments: { city: "Paris" } } }),
    asked('{"city":"Paris"}'),
  ],
  "arguments as a list": [
    calling({ function: { name: "weather", arguments: ["Paris"] } }),
    asked('["Paris"]'),
  ],
  "arguments in text": [
    calling({ function: { name: "weather", arguments: '{"city":"Paris"}' } }),
    asked('{"city":"Paris"}'),
  ],
  "a call without an id": [
    calling({ id: undefined, function: { name: "weather", arguments: "{}" } }),
    asked("{}"),
  ],
  "a call without a type": [
    calling({ type: null, function: { name: "weather", arguments: "{}" } }),
    asked("{}"),
  ],
  "a call outside of a list": [said({ content: null, tool_calls: call({}) }, "tool_calls"), asked("{}")],
  "a call that is empty": [said({ content: null, tool_calls: [{}] }, "tool_calls"), rejected],
  "a call that is null": [said({ content: null, tool_calls: [null] }, "tool_calls"), rejected],
  "a call of no function": [calling({ function: null }), rejected],
  "a call without a name": [calling({ function: { name: "", arguments: "{}" } }), rejected],
  "an empty call beside words": [said({ content: "Look:", tool_calls: [{}] }, "tool_calls"), rejected],
  "no calls": [said({ content: "Hi", tool_calls: null }), repaired({ text: "Hi" })],
  "an empty list of calls": [said({ content: "Hi", tool_calls: [] }), repaired({ text: "Hi" })],
  "content in parts": [
    said({ content: [{ type: "text", text: "Good " }, { type: "output_text", text: "day" }, "!"] }),
    repaired({ text: "Good day!" }),
  ],
  "content as one part": [said({ content: { type: "text", text: "Hi" } }), repaired({ text: "Hi" })],
  "thoughts among the content": [
    said({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "Hi" },
      ],
    }),
    repaired({ text: "Hi", reasoning: "Hm." }),
  ],
  "thoughts in parts": [
    said({ content: "Hi", reasoning_content: [{ text: "Hm." }] }),
    repaired({ text: "Hi", reasoning: "Hm." }),
  ],
  "content of an unknown kind": [said({ content: [{ type: "hologram", beam: 1 }] }), rejected],
  "content that is a number": [said({ content: 42 }), rejected],
  "a refusal": [said({ content: null, refusal: "No." }), repaired({ refusal: "No." })],
  nulls: [
    said({
      content: "Hi",
      refusal: null,
      reasoning: null,
      annotations: null,
      audio: null,
      function_call: null,
    }),
    repaired({ text: "Hi" }),
  ],
  "two choices": [
    {
      complete: {
        ...head,
        choices: [0, 1].map((index) => choice({ index, message: { content: "Hi" }, finish_reason: "stop" })),
      },
      events: [{ ...head, choices: [0, 1].map((index) => choice({ index, delta: { content: "Hi" } })) }],
    },
    rejected,
  ],
  "a choice with another's number": [
    {
      complete: {
        ...head,
        choices: [choice({ index: 7, message: { content: "Hi" }, finish_reason: "stop" })],
      },
      events: [{ ...head, choices: [choice({ index: 7, delta: { content: "Hi" } })] }],
    },
    rejected,
  ],
  "choices that are no list": [
    { complete: { ...head, choices: "Hi" }, events: [{ ...head, choices: "Hi" }] },
    rejected,
  ],
  "a choice that is null": [
    { complete: { ...head, choices: [null] }, events: [{ ...head, choices: [null] }] },
    rejected,
  ],
  "an end in an error": [said({ content: "" }, "error"), rejected],
};
