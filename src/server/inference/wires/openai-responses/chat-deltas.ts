import { malformed } from "#server/inference/pipeline/failures.ts";
import { formats, type ReasoningDetail } from "#server/inference/reasoning/details.ts";
import { limits } from "#server/platform/limits.ts";
import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import type { ResponseEvent } from "./events.ts";

/** What an event adds to the message of a chat answer. */
export interface Spoken {
  readonly delta: Json;
  /** Log probabilities of the text's tokens. */
  readonly logprobs?: readonly unknown[];
}

/** An item that has begun. */
interface Item {
  /** The number of the tool call; null for other items. */
  readonly call: number | null;
  /** Whether deltas have said something of it, which its end repeats. */
  said: boolean;
  /** The part of its reasoning that was said last. */
  part: unknown;
}

const jsonsOf = (list: unknown): readonly Json[] => (Array.isArray(list) ? list.filter(isJson) : []);
const separator = "\n\n";

/** Chat has a citation in an object under the name of its type. */
function annotationOf(annotation: unknown): Json | null {
  if (!isJson(annotation) || typeof annotation.type !== "string") return null;
  const { type, ...citation } = annotation;
  return type === "url_citation" ? { type, [type]: citation } : annotation;
}

const annotationsOf = (list: readonly unknown[]): Json => {
  const annotations = list.flatMap((one) => annotationOf(one) ?? []);
  return annotations.length > 0 ? { annotations } : {};
};

/** The beginning of a call in chat. */
const callOf = ({ type, call_id: id, name }: Json, text: string): Json =>
  type === "custom_tool_call"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };

const isCall = ({ type, name }: Json): boolean =>
  (type === "function_call" || type === "custom_tool_call") && textOrNull(name) !== null;

type Read = (deltas: ChatDeltas, event: ResponseEvent) => Spoken | null;

/** The events that say something; all others repeat it, or are about the provider's own tools. */
const reads = tableOf<Read>({
  "response.output_item.added": (deltas, event) => deltas.added(event),
  "response.output_item.done": (deltas, event) => deltas.done(event),
  "response.output_text.delta": (deltas, event) => deltas.text(event),
  "response.refusal.delta": (deltas, event) => deltas.refusal(event),
  "response.output_text.annotation.added": (_, { annotation }) => ({ delta: annotationsOf([annotation]) }),
  "response.reasoning_summary_text.delta": (deltas, event) => deltas.reasoning(event, event.summary_index),
  "response.reasoning_text.delta": (deltas, event) => deltas.reasoning(event, event.content_index),
  "response.function_call_arguments.delta": (deltas, event) =>
    deltas.argument(event, "function", "arguments"),
  "response.custom_tool_call_input.delta": (deltas, event) => deltas.argument(event, "custom", "input"),
});

/** Writes down the events of a response as deltas of a chat message. Keeps no text of the answer. */
export class ChatDeltas {
  readonly #items = new Map<number, Item>();
  #calls = 0;
  #thoughts = 0;
  /** The place of the message whose text was said last; null before the first. */
  #speaking: number | null = null;
  #hasReasoned = false;

  /** Null if the event adds nothing. Throws `AttemptError` for a place that cannot be. */
  next(event: ResponseEvent): Spoken | null {
    return reads[event.type]?.(this, event) ?? null;
  }

  hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** Whether any item has begun. */
  hasBegun(): boolean {
    return this.#items.size > 0;
  }

  added(event: ResponseEvent): Spoken | null {
    const item = isJson(event.item) ? event.item : {};
    const known = this.#begin(event, item);
    return known.call === null
      ? null
      : { delta: { tool_calls: [{ index: known.call, ...callOf(item, "") }] } };
  }

  text(event: ResponseEvent): Spoken | null {
    const text = textOrNull(event.delta);
    if (!text) return null;
    const delta = { content: this.#spoken(event, text) };
    return Array.isArray(event.logprobs) && event.logprobs.length > 0
      ? { delta, logprobs: event.logprobs }
      : { delta };
  }

  refusal(event: ResponseEvent): Spoken | null {
    const refusal = textOrNull(event.delta);
    if (!refusal) return null;
    this.#at(event).said = true;
    return { delta: { refusal } };
  }

  reasoning(event: ResponseEvent, part: unknown): Spoken | null {
    const text = textOrNull(event.delta);
    if (!text) return null;
    const item = this.#at(event);
    const isNew = item.part !== part;
    item.part = part;
    item.said = true;
    return { delta: { reasoning: this.#thought(text, isNew) } };
  }

  argument(event: ResponseEvent, kind: "function" | "custom", name: string): Spoken | null {
    const text = textOrNull(event.delta);
    const item = this.#at(event);
    // A call whose name is not known yet is said when it is complete.
    if (!text || item.call === null) return null;
    item.said = true;
    return { delta: { tool_calls: [{ index: item.call, [kind]: { [name]: text } }] } };
  }

  /** An item is complete. What deltas have said of it is not said again. */
  done(event: ResponseEvent): Spoken | null {
    const item = isJson(event.item) ? event.item : {};
    const begun = this.#items.get(Number(event.output_index));
    if (item.type === "reasoning") return this.#reasoned(event, item);
    if (item.type === "message") return begun?.said ? null : this.#message(event, item);
    if (!isCall(item)) return null;
    if (begun?.said) return null;
    const text = textOrNull(item.type === "custom_tool_call" ? item.input : item.arguments) ?? "";
    const isTold = begun !== undefined && begun.call !== null;
    if (isTold && text === "") return null;
    const { call } = isTold ? begun : this.#begin(event, item);
    const said = callOf(item, text);
    if (!isTold) return { delta: { tool_calls: [{ index: call, ...said }] } };
    const kind = item.type === "custom_tool_call" ? "custom" : "function";
    const { name: _, ...rest }: Json = isJson(said[kind]) ? said[kind] : {};
    return { delta: { tool_calls: [{ index: call, [kind]: rest }] } };
  }

  #message(event: ResponseEvent, { content }: Json): Spoken | null {
    const parts = jsonsOf(content);
    const text = parts
      .map((part) => (part.type === "output_text" ? textOrNull(part.text) : "") ?? "")
      .join("");
    const refusal = parts.map((part) => textOrNull(part.refusal) ?? "").join("");
    const delta = {
      ...(text !== "" && { content: this.#spoken(event, text) }),
      ...(refusal !== "" && { refusal }),
      ...annotationsOf(parts.flatMap(({ annotations }) => jsonsOf(annotations))),
    };
    if (Object.keys(delta).length === 0) return null;
    this.#at(event).said = true;
    return { delta, logprobs: parts.flatMap(({ logprobs }) => jsonsOf(logprobs)) };
  }

  /** The end of a reasoning item has its encrypted content, without which it cannot be sent back. */
  #reasoned(event: ResponseEvent, { id, summary, content, encrypted_content: data }: Json): Spoken | null {
    const item = this.#at(event);
    const texts = [...jsonsOf(summary), ...jsonsOf(content)].flatMap(({ text }) => textOrNull(text) || []);
    const reasoning = !item.said && texts.length > 0 ? this.#thought(texts.join(separator), true) : null;
    const details =
      typeof data === "string" && data !== "" ? this.#details(id, jsonsOf(summary), data) : null;
    if (reasoning === null && details === null) return null;
    return {
      delta: { ...(reasoning !== null && { reasoning }), ...(details && { reasoning_details: details }) },
    };
  }

  #details(given: unknown, summary: readonly Json[], data: string): readonly ReasoningDetail[] {
    const id = textOrNull(given);
    // The position in the turn, so that it can be sent back in the same order.
    const index = this.#thoughts++ + (this.#speaking === null ? 0 : 1) + this.#calls;
    const common = { ...(id !== null && { id }), format: formats.openai, index };
    const texts = summary.flatMap(({ text }) => textOrNull(text) || []);
    return [
      ...texts.map((text) => ({ type: "reasoning.summary" as const, summary: text, ...common })),
      { type: "reasoning.encrypted", data, ...common },
    ];
  }

  /** Text of a message; of a further message, with an empty line before it. */
  #spoken(event: ResponseEvent, text: string): string {
    const item = this.#at(event);
    item.said = true;
    const place = Number(event.output_index);
    const isFurther = this.#speaking !== null && this.#speaking !== place;
    this.#speaking = place;
    return isFurther ? separator + text : text;
  }

  /** Reasoning; of a further part, with an empty line before it. */
  #thought(text: string, isNew: boolean): string {
    const isFurther = isNew && this.#hasReasoned;
    this.#hasReasoned = true;
    return isFurther ? separator + text : text;
  }

  #at(event: ResponseEvent): Item {
    return this.#items.get(Number(event.output_index)) ?? this.#begin(event, {});
  }

  #begin({ output_index: place }: ResponseEvent, item: Json): Item {
    const isPlace = typeof place === "number" && Number.isInteger(place) && place >= 0;
    if (!isPlace || place >= limits.upstream.partsMax)
      throw malformed("an event names a place that cannot be", 200);
    const begun = { call: isCall(item) ? this.#calls++ : null, said: false, part: null };
    this.#items.set(place, begun);
    return begun;
  }
}
