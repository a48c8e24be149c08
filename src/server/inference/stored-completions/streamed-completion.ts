import type { ChatChoice } from "#contract/chat.ts";
import type { ChatChunk } from "#server/inference/wires/openai-chat/wire.ts";
import { isJson, type Json } from "#server/inference/wires/shared/json.ts";

/** Texts that each piece repeats; all other texts are continued. */
const repeated: ReadonlySet<string> = new Set(["role", "type", "id", "name", "format"]);

/** How many of the last parts of a list a piece may continue. */
const openPartsMax = 256;

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isJson(value)) return value;
  const copy: Json = {};
  continueWith(copy, value);
  return copy;
}

/** Adds pieces to a list: one with the number of a part continues it, any other is a new part. */
function addParts(list: unknown[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const index = isJson(piece) && typeof piece.index === "number" ? piece.index : null;
    const open =
      index === null
        ? undefined
        : list.slice(-openPartsMax).find((one) => isJson(one) && one.index === index);
    if (isJson(open) && isJson(piece)) continueWith(open, piece);
    else list.push(copyOf(piece));
  }
}

/** Continues an object that belongs to us with the next piece of it, which is not changed. */
function continueWith(into: Json, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    if (value == null || name === "__proto__") continue;
    const held = Object.hasOwn(into, name) ? into[name] : undefined;
    if (typeof held === "string" && typeof value === "string")
      into[name] = repeated.has(name) ? value : held + value;
    else if (Array.isArray(held) && Array.isArray(value)) addParts(held, value);
    else if (isJson(held) && isJson(value)) continueWith(held, value);
    else into[name] = copyOf(value);
  }
}

/** A message as a complete answer has it: calls without their numbers, and with `content` in any case. */
function messageOf(said: Json): ChatChoice["message"] {
  const { tool_calls: calls, role, content, ...rest } = said;
  const complete = Array.isArray(calls) && calls.filter(isJson).map(({ index: _, ...call }) => call);
  const message = {
    ...rest,
    role: typeof role === "string" ? role : "assistant",
    content: typeof content === "string" ? content : null,
    ...(complete && { tool_calls: complete }),
  };
  return message as ChatChoice["message"];
}

/** A streamed answer put together as the complete answer that it is. */
export class StreamedCompletion {
  readonly #choices = new Map<number, Json>();
  #fingerprint: string | null = null;
  #extras: Json | null = null;

  add({ choices, systemFingerprint, extras }: ChatChunk): void {
    this.#fingerprint = systemFingerprint ?? this.#fingerprint;
    if (extras !== null) this.#extras = { ...this.#extras, ...extras };
    for (const { index, delta, ...rest } of choices) {
      const held = this.#choices.get(index) ?? { said: {} };
      this.#choices.set(index, held);
      continueWith(held, { ...rest, ...(delta && { said: delta }) });
    }
  }

  /** The complete answer; `last` is its last chunk. */
  answer(last: ChatChunk): ChatChunk {
    const choices = [...this.#choices]
      .sort(([one], [other]) => one - other)
      .map(([index, { said, ...choice }]) => ({
        finish_reason: null,
        native_finish_reason: null,
        logprobs: null,
        ...choice,
        index,
        message: messageOf(isJson(said) ? said : {}),
      }));
    return { ...last, choices, systemFingerprint: this.#fingerprint, extras: this.#extras };
  }
}
