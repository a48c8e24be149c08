import type { CompletionChoice, FinishReason } from "#contract/completions.ts";
import type { Usage } from "#server/billing/index.ts";

/** What an upstream produced, whatever wire it came over. */
export interface Generated {
  readonly choices: readonly CompletionChoice[];
  readonly usage: Usage | null;
  readonly systemFingerprint: string | null;
}

const finishReasons: Record<string, FinishReason> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "stop",
  function_call: "stop",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  error: "error",
};

/** Our word for an upstream's reason; an unknown word is an ordinary stop, null is not finished yet. */
export const finishReason = (native: unknown): FinishReason | null =>
  typeof native === "string" ? (finishReasons[native.toLowerCase()] ?? "stop") : null;

export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The `choices` of an upstream's object, or null when it has none that can be read. */
export function choicesOf(value: Json): Json[] | null {
  const { choices } = value;
  return Array.isArray(choices) && choices.every(isJson) ? choices : null;
}
