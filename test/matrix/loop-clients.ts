// How clients of each operation ask with tools and reasoning, and send an answer back with the results of its calls.
import { isJson, type Json, listOf } from "#test/providers/shape.ts";

export interface Client {
  readonly title: string;
  readonly operation: "chat" | "responses" | "messages";
  readonly streamed: boolean;
  readonly first: readonly Json[];
  readonly asks: (turns: readonly Json[]) => Json;
  /** What the answer, complete or in events, adds to the conversation, and its calls. */
  readonly takes: (answer: readonly Json[]) => {
    readonly turns: readonly Json[];
    readonly calls: readonly Json[];
  };
  /** The turns with the results of calls. */
  readonly results: (calls: readonly Json[]) => readonly Json[];
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const user = { role: "user", content: "What is the weather like?" };

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** A member of an assistant's message with what a chunk adds to it. */
const added: Readonly<Record<string, (before: unknown, delta: unknown) => unknown>> = {
  content: (before, delta) => textIn(before) + textIn(delta),
  reasoning: (before, delta) => textIn(before) + textIn(delta),
  reasoning_details: (before, delta) => [...listOf(before), ...listOf(delta)],
  tool_calls(before, delta) {
    const calls = [...listOf(before)];
    for (const { index, ...piece } of listOf(delta)) {
      const known = calls[Number(index)];
      const [old, next] = [known?.function, piece.function];
      calls[Number(index)] = {
        ...known,
        ...piece,
        ...(isJson(next) && {
          function: {
            ...(isJson(old) ? old : {}),
            ...next,
            arguments: textIn(isJson(old) ? old.arguments : "") + textIn(next.arguments),
          },
        }),
      };
    }
    return calls;
  },
};

/** The message of a complete answer, or of chunks put together. */
function messageOf(answer: readonly Json[]): Json {
  const message: Json = { role: "assistant", content: null };
  for (const { choices } of answer) {
    const [choice] = listOf(choices);
    if (isJson(choice?.message)) return choice.message;
    if (!isJson(choice?.delta)) continue;
    for (const [name, delta] of Object.entries(choice.delta)) {
      const add = added[name];
      if (add && delta !== null) message[name] = add(message[name], delta);
    }
  }
  return message;
}

const chat = {
  operation: "chat",
  first: [user],
  asks: (messages: readonly Json[]) => ({
    messages,
    reasoning: { effort: "high" },
    tools: [{ type: "function", function: { name: "weather", parameters } }],
  }),
  takes(answer: readonly Json[]) {
    const message = messageOf(answer);
    return { turns: [message], calls: listOf(message.tool_calls) };
  },
  results: (calls: readonly Json[]) =>
    calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "Sunny" })),
} as const;

/** The blocks of a complete message, or of events put together. */
function blocksOf(answer: readonly Json[]): readonly Json[] {
  const blocks: Json[] = [];
  const inputs = new Map<number, string>();
  for (const event of answer) {
    if (event.type === "message") return listOf(event.content);
    const at = Number(event.index);
    if (event.type === "content_block_start" && isJson(event.content_block)) blocks[at] = event.content_block;
    const block = blocks[at];
    if (event.type !== "content_block_delta" || !isJson(event.delta) || !block) continue;
    const { text, thinking, signature, partial_json: json } = event.delta;
    if (json !== undefined) inputs.set(at, (inputs.get(at) ?? "") + textIn(json));
    if (text !== undefined) block.text = textIn(block.text) + textIn(text);
    if (thinking !== undefined) block.thinking = textIn(block.thinking) + textIn(thinking);
    if (signature !== undefined) block.signature = signature;
  }
  for (const [at, json] of inputs) blocks[at] = { ...blocks[at], input: JSON.parse(json) };
  return blocks;
}

const messages = {
  operation: "messages",
  first: [user],
  asks: (turns: readonly Json[]) => ({
    messages: turns,
    thinking: { type: "enabled", budget_tokens: 3_000 },
    tools: [{ name: "weather", input_schema: parameters }],
  }),
  takes(answer: readonly Json[]) {
    const content = blocksOf(answer);
    return {
      turns: [{ role: "assistant", content }],
      calls: content.filter(({ type }) => type === "tool_use"),
    };
  },
  results: (calls: readonly Json[]) =>
    calls.length === 0
      ? []
      : [
          {
            role: "user",
            content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "Sunny" })),
          },
        ],
} as const;

const responses: Client = {
  title: "/responses",
  operation: "responses",
  streamed: false,
  first: [{ type: "message", ...user }],
  asks: (items) => ({
    items,
    store: false,
    reasoning: { effort: "high" },
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "weather", parameters, strict: false }],
  }),
  takes([answer = {}]) {
    const items = listOf(answer.output);
    return { turns: items, calls: items.filter(({ type }) => type === "function_call") };
  },
  results: (calls) =>
    calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "Sunny" })),
};

export const clients: readonly Client[] = [
  { title: "/chat/completions", streamed: false, ...chat },
  { title: "/chat/completions, streamed", streamed: true, ...chat },
  { title: "/messages", streamed: false, ...messages },
  { title: "/messages, streamed", streamed: true, ...messages },
  responses,
];
