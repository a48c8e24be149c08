import type { ChatFinishReason } from "#contract/chat.ts";
import { type Usage, usageFromOpenAi } from "#server/billing/index.ts";
import { failureOfStatus, malformed } from "#server/inference/pipeline/failures.ts";
import type { Chunk, Reader } from "#server/inference/pipeline/operation.ts";
import { tableOf } from "#server/platform/table.ts";
import { answerExtras, choiceExtras } from "./answer-extras.ts";
import { failureOfError } from "./error-body.ts";
import { isJson, type Json, textOrNull } from "./json.ts";

/** What OpenAI's text operations answer with, whole or in chunks. */
export interface ChoicesChunk<Choice> extends Chunk {
  readonly choices: readonly Choice[];
  readonly systemFingerprint: string | null;
  /** Members of the answer that only the provider knows, such as `citations`; null without any. */
  readonly extras: Json | null;
}

export interface AnyChoice {
  readonly index: number;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
}

const finishReasons = tableOf<ChatFinishReason>({
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
});

/** Our word for an upstream's reason; an unknown word is an ordinary stop, none or an empty one is not finished yet. */
export const finishReason = (native: unknown): ChatFinishReason | null =>
  typeof native === "string" && native !== "" ? (finishReasons[native.toLowerCase()] ?? "stop") : null;

/** The provider's own word: beside a translated one when its JSON had to be translated. */
export const nativeReason = (upstream: Json): string | null =>
  textOrNull(upstream.native_finish_reason) || textOrNull(upstream.finish_reason) || null;

/** A word that stands in every chunk: what is longer is none. */
const fingerprintCharsMax = 256;
/** The names of service tiers are short words. */
const tierCharsMax = 64;

/** A choice with what else its provider says of it. */
function withExtras<Choice extends AnyChoice>(shown: Shown<Choice>, extras: Json | null): Shown<Choice> {
  return extras === null ? shown : { ...shown, choice: { ...extras, ...shown.choice } };
}

/** What one choice shows of itself. */
export interface Shown<Choice> {
  readonly choice: Choice;
  readonly text: string;
  readonly hasContent: boolean;
}

/** How the choices of one operation are read. All throw `AttemptError` for a choice that cannot be. */
export interface ChoiceReader<Choice extends AnyChoice> {
  /** A complete choice. */
  complete(upstream: Json, index: number): Shown<Choice>;
  /** The next piece of a streamed one. */
  piece(upstream: Json, index: number): Shown<Choice>;
  /** A piece that brings nothing, for the end of a choice whose last piece had content. */
  empty(index: number): Choice;
  /** After the last piece of all choices. */
  end?(): void;
}

/** An upstream's choices. Throws `AttemptError` for what is no list of them, and for more of them than were asked for. */
function choicesOf({ choices }: Json, choicesMax: number): readonly Json[] {
  if (choices == null) return [];
  if (!Array.isArray(choices)) throw malformed("its choices are no list", 200);
  if (choices.length > choicesMax) throw malformed("it has more choices than were asked for", 200);
  for (const choice of choices) {
    if (!isJson(choice)) throw malformed("a choice cannot be read", 200);
    const { error } = choice;
    if (error && !(isJson(error) && Object.keys(error).length === 0)) throw failureOfError(error);
    if (finishReason(choice.finish_reason) === "error") throw failureOfStatus(500, undefined);
  }
  return choices;
}

/** The number of a choice: its own, or else its place. Throws `AttemptError` when nobody asked for it. */
function indexOf({ index = null }: Json, position: number, choicesMax: number): number {
  const own = index ?? position;
  if (typeof own === "number" && Number.isInteger(own) && own >= 0 && own < choicesMax) return own;
  throw malformed("it has more choices than were asked for", 200);
}

const noContent: Chunk = {
  usage: null,
  hasContent: false,
  text: "",
  finishReason: null,
  nativeFinishReason: null,
};

function partOf<Choice extends AnyChoice>(
  value: Json,
  extras: Json | null,
  shown: readonly Shown<Choice>[],
  usage: Usage | null,
): ChoicesChunk<Choice> {
  const systemFingerprint = textOrNull(value.system_fingerprint)?.slice(0, fingerprintCharsMax) ?? null;
  const serviceTier = textOrNull(value.service_tier)?.slice(0, tierCharsMax) ?? null;
  if (shown.length === 0) return { ...noContent, usage, choices: [], systemFingerprint, extras, serviceTier };
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
    extras,
    serviceTier,
    hasContent,
    text,
    finishReason: finish,
    nativeFinishReason: native,
  };
}

/** A choice that ends in a call of a tool and says nothing has lost the call. */
function assertCall({ finish_reason: reason }: Json, hasContent: boolean): void {
  if (!hasContent && finishReason(reason) === "tool_calls")
    throw malformed("it ends in a call of a tool and has none", 200);
}

/** The choices of a complete answer, each under a number of its own. */
function completeChoices<Choice extends AnyChoice>(
  upstream: readonly Json[],
  choicesMax: number,
  how: ChoiceReader<Choice>,
): Shown<Choice>[] {
  const own = upstream.map((choice, position) => indexOf(choice, position, choicesMax));
  // Some number all of them 0.
  const numbered = new Set(own).size === own.length;
  return upstream.map((choice, position) => {
    const index = numbered ? (own[position] ?? 0) : position;
    const shown = withExtras(how.complete(choice, index), choiceExtras(choice));
    assertCall(choice, shown.hasContent);
    return shown;
  });
}

/**
 * Reads answers with choices. The finish reason of a streamed choice is held back until the stream has ended, because
 * an error may follow it and a client must get only one end. Of two reasons the first counts; content after one
 * violates the protocol.
 */
export function choicesReader<Choice extends AnyChoice>(
  choicesMax: number,
  how: ChoiceReader<Choice>,
): Reader<ChoicesChunk<Choice>> {
  /** By choice; undefined while it goes on. */
  const ends: (Choice | undefined)[] = [];
  /** Whether each choice that has begun has had any content. */
  const begun = new Map<number, boolean>();
  let endedCount = 0;
  const finished = () => endedCount > 0 && endedCount === begun.size;

  /** What of a piece goes on to the client now. */
  function next(upstream: Json, index: number): Shown<Choice> | null {
    const extras = choiceExtras(upstream);
    const shown = withExtras(how.piece(upstream, index), extras);
    const { choice, text, hasContent } = shown;
    const held = ends[index];
    if (held !== undefined) {
      if (hasContent) throw malformed("it goes on after its end", 200);
      ends[index] = { ...extras, ...held };
      return null;
    }
    const spoken = begun.get(index) === true || hasContent;
    if (begun.get(index) !== spoken) begun.set(index, spoken);
    if (choice.finish_reason === null) return shown;
    assertCall(upstream, spoken);
    endedCount++;
    if (!hasContent) {
      ends[index] = choice;
      return null;
    }
    const { finish_reason, native_finish_reason } = choice;
    ends[index] = { ...how.empty(index), finish_reason, native_finish_reason };
    return { choice: { ...choice, finish_reason: null, native_finish_reason: null }, text, hasContent };
  }

  return {
    answer(value) {
      if (!isJson(value)) throw malformed("it is no object", 200);
      const upstream = choicesOf(value, choicesMax);
      const shown = completeChoices(upstream, choicesMax, how);
      return partOf(value, answerExtras(value), shown, usageFromOpenAi(value.usage));
    },
    event(value) {
      if (!isJson(value)) throw malformed("an event is no object", 200);
      const shown: Shown<Choice>[] = [];
      for (const [position, choice] of choicesOf(value, choicesMax).entries()) {
        const one = next(choice, indexOf(choice, position, choicesMax));
        if (one) shown.push(one);
      }
      return partOf(value, answerExtras(value), shown, usageFromOpenAi(value.usage));
    },
    finished,
    end() {
      if (!finished()) throw malformed("it ended before it was complete", 200);
      how.end?.();
      const shown = [...begun.keys()]
        .sort((a, b) => a - b)
        .flatMap((index) => ends[index] ?? [])
        .map((choice) => ({ choice, text: "", hasContent: true }));
      return partOf({}, null, shown, null);
    },
  };
}
