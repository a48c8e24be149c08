import type { ChatChoice } from "#contract/chat.ts";
import { malformed } from "#server/inference/pipeline/failures.ts";
import { limits } from "#server/platform/limits.ts";
import { isJson, type Json, textOrNull } from "./json.ts";
import { jsonText, providerText, readParts } from "./provider-text.ts";
import { StreamedCalls, toolCalls } from "./tool-calls.ts";

/** What an assistant says, complete or piece by piece, as OpenAI's clients read it. */
export interface Spoken<Call extends Json = Json> {
  [name: string]: unknown;
  content?: string | null;
  refusal?: string;
  reasoning?: string;
  /** The same text under the name that other clients read. */
  reasoning_content?: string;
  tool_calls?: Call[];
}

/** Members every reader of a message asks for; what else a provider sends passes. */
const read = ["content", "refusal", "reasoning", "reasoning_content", "tool_calls", "function_call"] as const;

const isRead = (name: string): boolean =>
  name === "reasoning_details" || read.includes(name as (typeof read)[number]);

/** Whether a delta can pass as it came: it has content and nothing that might have to be put right. */
function isPlain(delta: Json): boolean {
  for (const name in delta) {
    const value = delta[name];
    if (name === "content" || name === "role") {
      if (typeof value !== "string") return false;
    } else if (value === null || isRead(name)) return false;
  }
  return true;
}

/** Whether clients can read these details of reasoning. */
const areDetails = (value: unknown): boolean =>
  Array.isArray(value) && value.every((detail) => isJson(detail) && typeof detail.type === "string");

/**
 * Puts right what some providers send otherwise: texts in parts become one, a member that is null is left out
 * (strict providers refuse it when a client sends the message back). Throws `AttemptError` for what cannot be read.
 */
function repaired<Call extends Json>(message: Json, calls: Call[] | null): Spoken<Call> {
  const into: Spoken<Call> = {};
  for (const [name, value] of Object.entries(message))
    if (value !== null && !read.includes(name as (typeof read)[number])) into[name] = value;
  if (into.reasoning_details !== undefined && !areDetails(into.reasoning_details))
    delete into.reasoning_details;
  let reasoning = providerText(message.reasoning_content) ?? providerText(message.reasoning);
  let refusal = providerText(message.refusal);
  let content = textOrNull(message.content);
  if (content === null && message.content != null) {
    const said = readParts(message.content);
    content = said.text;
    if (said.reasoning !== "") reasoning = (reasoning ?? "") + said.reasoning;
    if (said.refusal !== "") refusal = (refusal ?? "") + said.refusal;
    if (said.images.length > 0) into.images = said.images;
    if (said.references.length > 0) into.references = said.references;
  }
  if (message.content !== undefined) into.content = content;
  if (refusal !== null) into.refusal = refusal;
  if (reasoning !== null) {
    into.reasoning = reasoning;
    into.reasoning_content = reasoning;
  }
  if (calls) into.tool_calls = calls;
  const { function_call: legacy } = message;
  if (isJson(legacy)) into.function_call = { ...legacy, arguments: jsonText(legacy.arguments ?? "") };
  return into;
}

/** What a message may have many of. Each is looked at, and becomes several events of a response. */
function assertFew({ tool_calls: calls, annotations, reasoning_details: details }: Json): void {
  const { partsMax } = limits.upstream;
  for (const list of [calls, annotations, details])
    if (Array.isArray(list) && list.length > partsMax) throw malformed("a message has too many parts", 200);
}

/** A complete message. Throws `AttemptError` for one that cannot be read. */
export function completeMessage(message: Json): ChatChoice["message"] {
  assertFew(message);
  const made = repaired(message, toolCalls(message.tool_calls));
  return { ...made, role: textOrNull(message.role) ?? "assistant", content: made.content ?? null };
}

/** Reads the deltas of one streamed choice. */
export class Deltas {
  #calls: StreamedCalls | undefined;
  #hasRole = false;

  /** Throws `AttemptError` for a delta that cannot be read. */
  next(delta: Json): Spoken {
    const spoken = this.#read(delta);
    if (this.#hasRole) return spoken;
    this.#hasRole = true;
    // Clients that put a message together refuse one without a role.
    return spoken.role === undefined ? { role: "assistant", ...spoken } : spoken;
  }

  #read(delta: Json): Spoken {
    assertFew(delta);
    if (isPlain(delta)) return delta;
    if (delta.tool_calls == null) return repaired(delta, null);
    this.#calls ??= new StreamedCalls();
    return repaired(delta, this.#calls.pieces(delta.tool_calls));
  }

  /** After the last delta. Throws `AttemptError` when a call was begun that names no function. */
  end(): void {
    this.#calls?.end();
  }
}

/** A message without its reasoning, for clients that exclude it. */
export function withoutReasoning<Message extends Spoken>(message: Message): Message {
  const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...rest } = message;
  // Only optional members are left out.
  return rest as Message;
}

/** Everything of it that a model wrote: words, thoughts, calls of tools. Their number of tokens is estimated by it. */
export function textOf({ content, refusal, reasoning, tool_calls: calls }: Spoken): string {
  let text = (content ?? "") + (reasoning ?? "") + (refusal ?? "");
  for (const { function: called } of calls ?? []) {
    const { name, arguments: given } = (called ?? {}) as Json;
    text += (textOrNull(name) ?? "") + (textOrNull(given) ?? "");
  }
  return text;
}
