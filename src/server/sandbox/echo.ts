import { done, jsonReply, type Reply, raw, type Step, streamReply } from "./reply.ts";

type Wire = "chat" | "completions";

const head = { id: "echo", created: 0, model: "sandbox/echo" };
const chunksByDefault = 16;
const promptTokens = 8;
const word = "echo ";

const shapes = {
  chat: {
    object: "chat.completion",
    chunk: "chat.completion.chunk",
    choice: (content: string) => ({
      index: 0,
      message: { role: "assistant", content },
      finish_reason: "stop",
    }),
    event: (content: string) => ({ index: 0, delta: { content }, finish_reason: null }),
    end: { index: 0, delta: {}, finish_reason: "stop" },
  },
  completions: {
    object: "text_completion",
    chunk: "text_completion",
    choice: (text: string) => ({ index: 0, text, logprobs: null, finish_reason: "stop" }),
    event: (text: string) => ({ index: 0, text, logprobs: null, finish_reason: null }),
    end: { index: 0, text: "", logprobs: null, finish_reason: "stop" },
  },
} as const;

const usage = (tokens: number) => ({
  prompt_tokens: promptTokens,
  completion_tokens: tokens,
  total_tokens: promptTokens + tokens,
});

function build(wire: Wire, stream: boolean, count: number): Reply {
  const shape = shapes[wire];
  const counted = {
    prompt_tokens: promptTokens,
    cached_tokens: 0,
    completion_tokens: count,
    search_units: 0,
  };
  if (!stream) {
    const body = { ...head, object: shape.object, choices: [shape.choice(word.repeat(count))] };
    return {
      ...jsonReply(body, counted),
      steps: [raw(JSON.stringify({ ...body, usage: usage(count) }), count)],
    };
  }
  const line = (rest: object) => `data: ${JSON.stringify({ ...head, object: shape.chunk, ...rest })}\n\n`;
  const event = raw(line({ choices: [shape.event(word)] }), 1);
  const steps: Step[] = [
    ...Array.from({ length: count }, () => event),
    raw(line({ choices: [shape.end], usage: usage(count) })),
  ];
  return { ...streamReply(steps, counted), steps: [...steps, done] };
}

const storedMax = 64;
const stored = new Map<string, Reply>();

/** A fixed answer of `max_tokens` words, made once and then only written: what the bench measures against. */
export function echo(wire: Wire, body: { stream?: unknown; max_tokens?: unknown }): Reply {
  const count = typeof body.max_tokens === "number" ? body.max_tokens : chunksByDefault;
  const stream = body.stream === true;
  const key = `${wire} ${stream} ${count}`;
  const known = stored.get(key);
  if (known) return known;
  const made = build(wire, stream, count);
  if (stored.size < storedMax) stored.set(key, made);
  return made;
}
