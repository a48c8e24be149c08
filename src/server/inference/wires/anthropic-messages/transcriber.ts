import { malformed } from "#server/inference/pipeline/failures.ts";
import { formats, type ReasoningDetail, readDetails } from "#server/inference/reasoning/details.ts";
import { isPacked, packDetails } from "#server/inference/reasoning/packed.ts";
import { limits } from "#server/platform/limits.ts";
import type { Spoken } from "../shared/assistant-message.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import type { MessageEvent } from "./chunk.ts";
import { isSigned, ownSignature } from "./own-signature.ts";

type Kind = "thinking" | "redacted_thinking" | "text" | "tool_use";

interface Block {
  readonly kind: Kind;
  readonly opening: Json;
  /** Everything it says, and what of it is not sent yet. */
  text: string;
  held: string;
  signature: string | null;
  /** The length of its text when it was last looked at whether it is whole. */
  checkedChars: number;
}

const deltas: Readonly<Record<Kind, (text: string) => Json>> = {
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  // It has no text.
  redacted_thinking: () => ({}),
  text: (text) => ({ type: "text_delta", text }),
  tool_use: (partial_json) => ({ type: "input_json_delta", partial_json }),
};

const openings: Readonly<Record<"thinking" | "text", Json>> = {
  thinking: { type: "thinking", thinking: "", signature: "" },
  text: { type: "text", text: "" },
};

function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Anthropic's ids have nothing but letters, digits, `_` and `-`, and its API refuses others. */
const idOf = (id: unknown): string => String(id).replace(/[^A-Za-z0-9_-]/g, "_");

/** The input of a call. What is no object stays readable under one name. */
export function inputOf(text: string): Json {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : { value };
  } catch {
    return { value: text };
  }
}

/** Reasoning that Anthropic's models do not read. It is packed, so that it comes back with the conversation. */
const foreign: ReadonlySet<string> = new Set([formats.openai, formats.gemini, formats.bedrock]);

/** The signature in a piece, where Claude signed its reasoning. */
const signatureIn = (details: readonly ReasoningDetail[]): string | null =>
  details.find(({ format, signature }) => !foreign.has(format) && isSigned(signature))?.signature ?? null;

/** The reasoning in a piece that Claude redacted. */
const redactedIn = (details: readonly ReasoningDetail[]): string | null =>
  details.find(({ type, format }) => type === "reasoning.encrypted" && format === formats.claude)?.data ??
  null;

/**
 * The reasoning of other models in a piece, packed. The signature of Gemini's text is left out: it comes after the
 * text, where clients expect no reasoning, and Gemini does not need it.
 */
function packedIn(details: readonly ReasoningDetail[]): string | null {
  const given = details.flatMap(({ id, ...detail }) => {
    const { type, format } = detail;
    if (!foreign.has(format)) return [];
    if (id === undefined) return format === formats.gemini && type === "reasoning.encrypted" ? [] : [detail];
    // Calls come back with the ids that the client has.
    return [{ ...detail, id: idOf(id) }];
  });
  return packDetails(given);
}

/**
 * Writes down what an upstream says in chat as the blocks of a message, one after the other: a block is closed before
 * the next begins. The pieces of calls that come mixed are held until their block can begin.
 */
export class MessageTranscriber {
  readonly #blocks: Block[] = [];
  /** By the number of the call. */
  readonly #calls = new Map<number, Block>();
  readonly #longNames: ReadonlyMap<string, string>;
  #events: MessageEvent[] = [];
  /** The block that is open, or the next to open. */
  #at = 0;
  #isOpen = false;

  constructor(longNames: ReadonlyMap<string, string>) {
    this.#longNames = longNames;
  }

  /** Adds a complete message or a piece of one. */
  write(spoken: Spoken): void {
    const { reasoning, content, refusal, tool_calls: calls, reasoning_details: details } = spoken;
    if (reasoning) this.#say("thinking", reasoning);
    if (details !== undefined) this.#sign(readDetails(details));
    if (content) this.#say("text", content);
    if (refusal) this.#say("text", refusal);
    for (const [position, call] of (calls ?? []).entries()) this.#call(call, position);
    this.#advance();
  }

  /** Closes the last block. */
  end(): void {
    while (this.#at < this.#blocks.length) this.#close();
  }

  /** The events since the last time. */
  take(): readonly MessageEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** Everything so far. */
  content(): Json[] {
    return this.#blocks.map(({ kind, opening, text, signature }) => {
      if (kind === "text") return { ...opening, text };
      if (kind === "tool_use") return { ...opening, input: inputOf(text) };
      if (kind === "redacted_thinking") return opening;
      return { ...opening, thinking: text, signature: signature ?? ownSignature };
    });
  }

  #add(kind: Kind, opening: Json): Block {
    if (this.#blocks.length >= limits.upstream.partsMax) throw malformed("a message has too many parts", 200);
    const block: Block = { kind, opening, text: "", held: "", signature: null, checkedChars: 0 };
    this.#blocks.push(block);
    return block;
  }

  #redacted(data: string): void {
    this.#add("redacted_thinking", { type: "redacted_thinking", data });
  }

  /** Puts a signature on the thinking before it. Encrypted reasoning without a text is a block of its own. */
  #sign(details: readonly ReasoningDetail[]): void {
    const signature = signatureIn(details);
    const last = this.#blocks.at(-1);
    if (signature !== null && last?.kind === "thinking") last.signature = signature;
    const redacted = redactedIn(details);
    if (redacted !== null) this.#redacted(redacted);
    const packed = packedIn(details);
    if (packed === null) return;
    if (last?.kind === "thinking" && last.signature === null) last.signature = packed;
    else this.#redacted(packed);
  }

  #say(kind: "thinking" | "text", text: string): void {
    const last = this.#blocks.at(-1);
    this.#append(
      last?.kind === kind && !isPacked(last.signature) ? last : this.#add(kind, openings[kind]),
      text,
    );
  }

  #call(call: Json, position: number): void {
    if (!isJson(call.function)) return;
    const at = typeof call.index === "number" ? call.index : position;
    const name = textOrNull(call.function.name) ?? "";
    let block = this.#calls.get(at);
    if (!block) {
      const known = this.#longNames.get(name) ?? name;
      block = this.#add("tool_use", { type: "tool_use", id: idOf(call.id), name: known, input: {} });
      this.#calls.set(at, block);
    }
    this.#append(block, textOrNull(call.function.arguments) ?? "");
  }

  #append(block: Block, text: string): void {
    block.text += text;
    block.held += text;
  }

  /** Whether nothing more is expected of a block once another has begun. */
  #isDone(block: Block): boolean {
    const { kind, text } = block;
    if (kind !== "tool_use") return true;
    if (block.checkedChars === text.length || !text.endsWith("}")) return false;
    block.checkedChars = text.length;
    return isWholeJson(text);
  }

  /** Sends what is held of the open block, and goes on to the next ones where it is done. */
  #advance(): void {
    for (;;) {
      const block = this.#blocks[this.#at];
      if (!block) return;
      this.#open(block);
      if (this.#at === this.#blocks.length - 1 || !this.#isDone(block)) return;
      this.#close();
    }
  }

  #open(block: Block): void {
    const index = this.#at;
    if (!this.#isOpen)
      this.#events.push({ type: "content_block_start", index, content_block: block.opening });
    this.#isOpen = true;
    if (block.held === "") return;
    this.#events.push({ type: "content_block_delta", index, delta: deltas[block.kind](block.held) });
    block.held = "";
  }

  #close(): void {
    const block = this.#blocks[this.#at];
    if (!block) return;
    this.#open(block);
    const index = this.#at;
    if (block.kind === "thinking") {
      const delta = { type: "signature_delta", signature: block.signature ?? ownSignature };
      this.#events.push({ type: "content_block_delta", index, delta });
    }
    this.#events.push({ type: "content_block_stop", index });
    this.#isOpen = false;
    this.#at++;
  }
}
