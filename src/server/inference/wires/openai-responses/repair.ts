import { malformed } from "#server/inference/pipeline/failures.ts";
import { randomHex } from "#server/platform/ids.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { jsonText, providerText } from "../shared/provider-text.ts";
import type { ResponseEvent } from "./events.ts";

/** Parts with their text as text; a text alone is one part. */
function repairedContent(content: unknown): unknown[] {
  if (content == null) return [];
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part) => {
    if (typeof part === "string") return { type: "output_text", text: part, annotations: [], logprobs: [] };
    if (!isJson(part)) throw malformed("a part of a message cannot be read", 200);
    if (part.type === "output_text" && typeof part.text !== "string")
      return { ...part, text: providerText(part.text) ?? "" };
    return part;
  });
}

function repairedCall(item: Json): Json {
  if (!textOrNull(item.name)) throw malformed("it calls a tool without a name", 200);
  const { arguments: given, call_id: id } = item;
  const isRight = typeof given === "string" && typeof id === "string" && id !== "";
  if (isRight) return item;
  return {
    ...item,
    call_id: textOrNull(id) || `call_${randomHex(24)}`,
    arguments: given == null ? "{}" : jsonText(given),
  };
}

/** Items whose form clients rely on; a provider's own pass as they are. */
const repairs: Readonly<Record<string, (item: Json) => Json>> = {
  message: (item) =>
    Array.isArray(item.content) && item.content.every((part) => isJson(part) && typeof part.text === "string")
      ? item
      : { ...item, content: repairedContent(item.content) },
  function_call: repairedCall,
};

/** An item of a provider's output as clients read it. Throws `AttemptError` for one that cannot be read. */
export function repairedItem(item: unknown): Json {
  if (!isJson(item) || typeof item.type !== "string")
    throw malformed("an item of its output cannot be read", 200);
  return repairs[item.type]?.(item) ?? item;
}

/** Events whose texts some providers send as values, and the member that is one. */
const texts: Readonly<Record<string, string>> = {
  "response.function_call_arguments.delta": "delta",
  "response.function_call_arguments.done": "arguments",
};

/** An event of a provider's stream with what it carries repaired. Throws `AttemptError` as `repairedItem` does. */
export function repairedEvent(event: ResponseEvent): ResponseEvent {
  const text = texts[event.type];
  if (text !== undefined)
    return typeof event[text] === "string" || event[text] == null
      ? event
      : { ...event, [text]: jsonText(event[text]) };
  if (event.type === "response.output_item.done") return { ...event, item: repairedItem(event.item) };
  // What an item is when it is added is not complete: its arguments are still to come.
  if (event.type === "response.output_item.added" && isJson(event.item)) {
    const { arguments: given } = event.item;
    if (isJson(given)) return { ...event, item: { ...event.item, arguments: "" } };
  }
  return event;
}
