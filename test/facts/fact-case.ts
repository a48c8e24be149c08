import type { Usage } from "#server/billing/index.ts";
import { type Sent, sse } from "#test/dialects/dialect.ts";

export type Json = Record<string, unknown>;

/** What a provider says beside the content, and where each operation has it. */
export interface FactCase {
  readonly name: string;
  /** As documents name it. */
  readonly title: string;
  readonly kind: string;
  readonly complete: Sent;
  readonly stream: Sent;
  readonly facts: { readonly chat: Json; readonly responses: Json; readonly messages: Json };
  /** As chat reports it. */
  readonly usage: Json;
  /** What it is in our form. */
  readonly figures: Partial<Usage>;
  /** Columns of the ledger. */
  readonly row: Json;
}

/** Facts of an answer, a choice and a message, where the three operations have them. */
export function places(answer: Json, choice: Json, message: Json, rest: Partial<FactCase["facts"]> = {}) {
  const { service_tier: tier, ...others } = answer;
  const { annotations, ...said } = message;
  const all = { ...others, ...choice };
  return {
    chat: { ...answer, choices: [{ ...choice, message }], ...rest.chat },
    responses: { ...all, ...said, ...(tier !== undefined && { service_tier: tier }), ...rest.responses },
    messages: {
      ...all,
      ...message,
      ...(tier !== undefined && { usage: { service_tier: tier } }),
      ...rest.messages,
    },
  };
}

export const asSse = (chunks: readonly Json[], done = false): Sent =>
  sse([...chunks.map((chunk) => [null, chunk] as const), ...(done ? ([[null, "[DONE]"]] as const) : [])]);

export const stopped = { messages: { stop_reason: "stop_sequence", stop_sequence: "END" } };
export const merged = (facts: FactCase["facts"], more: { readonly messages: Json }): FactCase["facts"] => ({
  ...facts,
  messages: { ...facts.messages, ...more.messages },
});

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** The names of a case's facts in a chat answer, by place. */
export function factNames({ facts: { chat } }: FactCase) {
  const { choices, ...answer } = chat;
  const [first]: unknown[] = Array.isArray(choices) ? choices : [];
  const { message, ...choice } = isObject(first) ? first : {};
  return {
    answer: Object.keys(answer),
    choice: Object.keys(choice),
    message: isObject(message) ? Object.keys(message) : [],
  };
}

/** The same figures in every case. */
export const openAiFigures = { uncached: 70, cacheRead: 30, completion: 50, reasoning: 20 };
export const openAiRow = {
  ...{
    prompt_tokens: 100,
    completion_tokens: 50,
    cached_tokens: 30,
    cache_write_tokens: 0,
    reasoning_tokens: 20,
  },
};
