import { malformed } from "#server/inference/pipeline/failures.ts";
import { limits } from "#server/platform/limits.ts";
import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";

/** An event of a streamed response, still without its sequence number. */
export type ResponseEvent = Json & { readonly type: string };

/** Deltas: in which list of the item, at which index, which text grows. Null: the item's own text. */
const deltas = tableOf<{ list: string; at: string; text: string } | { list: null; text: string }>({
  "response.output_text.delta": { list: "content", at: "content_index", text: "text" },
  "response.refusal.delta": { list: "content", at: "content_index", text: "refusal" },
  "response.reasoning_text.delta": { list: "content", at: "content_index", text: "text" },
  "response.reasoning_summary_text.delta": { list: "summary", at: "summary_index", text: "text" },
  "response.function_call_arguments.delta": { list: null, text: "arguments" },
  "response.custom_tool_call_input.delta": { list: null, text: "input" },
  "response.mcp_call_arguments.delta": { list: null, text: "arguments" },
  "response.code_interpreter_call_code.delta": { list: null, text: "code" },
});

/** Parts that begin or are whole. */
const parts = tableOf<{ list: string; at: string }>({
  "response.content_part.added": { list: "content", at: "content_index" },
  "response.content_part.done": { list: "content", at: "content_index" },
  "response.reasoning_summary_part.added": { list: "summary", at: "summary_index" },
  "response.reasoning_summary_part.done": { list: "summary", at: "summary_index" },
});

/** A place in a list: one behind its end at most a few, never so far that the list is mostly holes. */
const isPlace = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < limits.upstream.partsMax;

function listOf(item: Json, name: string): unknown[] {
  const list = item[name];
  if (Array.isArray(list)) return list;
  const made: unknown[] = [];
  item[name] = made;
  return made;
}

const partOf = (item: Json, list: string, at: unknown): Json | null => {
  const part = isPlace(at) ? listOf(item, list)[at] : null;
  return isJson(part) ? part : null;
};

function push(part: Json | null, name: string, values: readonly unknown[]): void {
  if (!part || values.length === 0) return;
  const list = listOf(part, name);
  for (const value of values) list.push(value);
}

/** A part with lists of its own, for those of the event are sent to the client as they are. */
function copyOf(part: Json): Json {
  const copy = { ...part };
  for (const name of ["annotations", "logprobs"]) if (Array.isArray(copy[name])) copy[name] = [...copy[name]];
  return copy;
}

/** The `output` of a response as its events make it. */
export class Output {
  readonly #items: Json[] = [];

  apply(event: ResponseEvent): void {
    const at = event.output_index;
    if (at === undefined) return;
    if (!isPlace(at)) throw malformed("an event names a place that cannot be", 200);
    if (event.type === "response.output_item.added" || event.type === "response.output_item.done") {
      if (isJson(event.item)) this.#items[at] = structuredClone(event.item);
      return;
    }
    const item = this.#items[at];
    if (item) this.#change(item, event);
  }

  #change(item: Json, event: ResponseEvent): void {
    const part = parts[event.type];
    if (part) {
      const index = event[part.at];
      if (isPlace(index) && isJson(event.part)) listOf(item, part.list)[index] = copyOf(event.part);
      return;
    }
    if (event.type === "response.output_text.annotation.added") {
      push(partOf(item, "content", event.content_index), "annotations", [event.annotation]);
      return;
    }
    const delta = deltas[event.type];
    if (!delta || typeof event.delta !== "string") return;
    const target = delta.list === null ? item : partOf(item, delta.list, event[delta.at]);
    if (!target) return;
    target[delta.text] = (textOrNull(target[delta.text]) ?? "") + event.delta;
    if (Array.isArray(event.logprobs)) push(target, "logprobs", event.logprobs);
  }

  length(): number {
    return this.#items.length;
  }

  at(index: number): Json | undefined {
    return this.#items[index];
  }

  /** Everything so far; what is not whole yet is called incomplete when nothing more will come. */
  items({ ended = false } = {}): Json[] {
    const items = this.#items.filter(isJson);
    return ended
      ? items.map((item) => (item.status === "in_progress" ? { ...item, status: "incomplete" } : item))
      : items;
  }
}

/** All text of all messages of an output. */
export function outputText(items: readonly Json[]): string {
  let text = "";
  for (const { type, content } of items) {
    if (type !== "message" || !Array.isArray(content)) continue;
    for (const part of content)
      if (isJson(part) && part.type === "output_text") text += textOrNull(part.text) ?? "";
  }
  return text;
}
