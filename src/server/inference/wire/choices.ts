import { type Usage, usageFromOpenAi } from "#server/billing/index.ts";
import type { Part, Reader } from "../operation.ts";
import { isJson, type Json, textOrNull } from "./json.ts";

/** What OpenAI's text operations answer with, whole or in chunks. */
export interface ChoicesPart<Choice> extends Part {
  readonly choices: readonly Choice[];
  readonly systemFingerprint: string | null;
}

export interface AnyChoice {
  readonly index: number;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
}

const finishReasons: Record<string, string> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  tool_use: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  error: "error",
};

/** Our word for an upstream's reason; an unknown word is an ordinary stop, null is not finished yet. */
export const finishReason = (native: unknown): string | null =>
  typeof native === "string" ? (finishReasons[native.toLowerCase()] ?? "stop") : null;

/** The provider's own word: beside a translated one when its JSON had to be translated. */
export const nativeReason = (upstream: Json): string | null =>
  textOrNull(upstream.native_finish_reason) ?? textOrNull(upstream.finish_reason);

export const indexOf = (upstream: Json, fallback: number): number =>
  typeof upstream.index === "number" ? upstream.index : fallback;

/** The upstream's own choices, or null when it has none that can be read. */
function choicesOf({ choices }: Json): Json[] | null {
  return Array.isArray(choices) && choices.every(isJson) ? choices : null;
}

/** What one choice shows of itself. */
export interface Shown<Choice> {
  readonly choice: Choice;
  readonly text: string;
  readonly hasContent: boolean;
}

const noContent: Part = {
  usage: null,
  hasContent: false,
  text: "",
  finishReason: null,
  nativeFinishReason: null,
};

function partOf<Choice extends AnyChoice>(
  value: Json,
  shown: readonly Shown<Choice>[],
  usage: Usage | null,
): ChoicesPart<Choice> {
  const systemFingerprint = textOrNull(value.system_fingerprint);
  if (shown.length === 0) return { ...noContent, usage, choices: [], systemFingerprint };
  let text = "";
  let hasContent = false;
  let finish: string | null = null;
  let native: string | null = null;
  const choices: Choice[] = [];
  for (const one of shown) {
    choices.push(one.choice);
    text += one.text;
    hasContent ||= one.hasContent || one.choice.finish_reason !== null;
    finish = one.choice.finish_reason ?? finish;
    native = one.choice.native_finish_reason ?? native;
  }
  return {
    choices,
    usage,
    systemFingerprint,
    hasContent,
    text,
    finishReason: finish,
    nativeFinishReason: native,
  };
}

/** Reads choices with `show`; whole once every choice that was begun has a finish reason. */
export function choicesReader<Choice extends AnyChoice>(
  show: (upstream: Json, position: number) => Shown<Choice>,
): Reader<ChoicesPart<Choice>> {
  const unfinished = new Set<number>();
  let finishedAny = false;
  return {
    read(value) {
      if (!isJson(value)) return null;
      const upstream = choicesOf(value);
      if (!upstream) return null;
      const shown = upstream.map(show);
      for (const { choice } of shown) {
        if (choice.finish_reason === null) unfinished.add(choice.index);
        else {
          unfinished.delete(choice.index);
          finishedAny = true;
        }
      }
      return partOf(value, shown, usageFromOpenAi(value.usage));
    },
    complete: () => finishedAny && unfinished.size === 0,
  };
}
