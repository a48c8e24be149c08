import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { limits } from "#server/platform/limits.ts";
import { isJson, type Json, textOrNull } from "../wires/shared/json.ts";

/**
 * One piece of reasoning as OpenRouter's clients read it and send it back. `format` names who made it and can read it.
 * `reasoning.encrypted` with an `id` belongs to the tool call with that ID.
 */
export interface ReasoningDetail {
  readonly type: "reasoning.text" | "reasoning.summary" | "reasoning.encrypted";
  readonly text?: string;
  readonly summary?: string;
  readonly data?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly format: string;
  readonly index: number;
}

/**
 * Who can read a piece of reasoning. Signatures of Claude are the same at Anthropic and Bedrock; what Bedrock redacts
 * has a form of its own.
 */
export const formats = {
  claude: "anthropic-claude-v1",
  gemini: "google-gemini-v1",
  bedrock: "amazon-bedrock-v1",
  openai: "openai-responses-v1",
} as const;

const types = new Set<unknown>(["reasoning.text", "reasoning.summary", "reasoning.encrypted"]);

function readDetail(value: unknown, position: number): ReasoningDetail | null {
  if (!isJson(value) || !types.has(value.type)) return null;
  const text = textOrNull(value.text);
  const summary = textOrNull(value.summary);
  const data = textOrNull(value.data);
  const signature = textOrNull(value.signature);
  const id = textOrNull(value.id);
  return {
    type: value.type as ReasoningDetail["type"],
    ...(text !== null && { text }),
    ...(summary !== null && { summary }),
    ...(data !== null && { data }),
    ...(signature !== null && { signature }),
    ...(id !== null && { id }),
    format: textOrNull(value.format) ?? "unknown",
    index: typeof value.index === "number" ? value.index : position,
  };
}

/** Two fragments of one streamed piece, put together; null if they are two pieces. */
function joined(before: ReasoningDetail, next: ReasoningDetail): ReasoningDetail | null {
  const isSame = before.type === "reasoning.text" && next.type === before.type && next.index === before.index;
  if (!isSame || before.signature !== undefined) return null;
  return { ...before, ...next, text: (before.text ?? "") + (next.text ?? "") };
}

/**
 * The reasoning details of a message that a client sends back. Fragments that it collected from a stream without
 * putting them together become one. What is no detail is left out.
 */
export function readDetails(value: unknown): readonly ReasoningDetail[] {
  if (!Array.isArray(value)) return [];
  const details: ReasoningDetail[] = [];
  for (const [position, given] of value.slice(0, limits.upstream.partsMax).entries()) {
    const next = readDetail(given, position);
    if (!next) continue;
    const last = details.at(-1);
    const one = last && joined(last, next);
    if (one) details[details.length - 1] = one;
    else details.push(next);
  }
  return details;
}

/** The signature in the metadata of an SDK package's part, and who made it. */
function signed(
  metadata: SharedV4ProviderMetadata | undefined,
): { signature: string; format: string } | { data: string; format: string } | null {
  const { anthropic, amazonBedrock, google } = metadata ?? {};
  const signature = textOrNull(anthropic?.signature) ?? textOrNull(amazonBedrock?.signature);
  if (signature) return { signature, format: formats.claude };
  const redacted = textOrNull(anthropic?.redactedData);
  if (redacted) return { data: redacted, format: formats.claude };
  const content = textOrNull(amazonBedrock?.redactedContent) ?? textOrNull(amazonBedrock?.redactedData);
  if (content) return { data: content, format: formats.bedrock };
  const thought = textOrNull(google?.thoughtSignature);
  return thought ? { signature: thought, format: formats.gemini } : null;
}

/** Makes the reasoning details of one answer from the parts of an SDK package. Parts without signatures have none. */
export class DetailWriter {
  #count = 0;

  /** A complete piece of reasoning. */
  reasoning(text: string, metadata: SharedV4ProviderMetadata | undefined): ReasoningDetail | null {
    const found = signed(metadata);
    if (!found) return null;
    const index = this.#count++;
    return "data" in found
      ? { type: "reasoning.encrypted", ...found, index }
      : { type: "reasoning.text", text, ...found, index };
  }

  /** The signature of a tool call, or of the text if there is no `id`. */
  signature(metadata: SharedV4ProviderMetadata | undefined, id?: string): ReasoningDetail | null {
    const found = signed(metadata);
    if (!found || "data" in found) return null;
    const { signature: data, format } = found;
    return {
      type: "reasoning.encrypted",
      data,
      ...(id !== undefined && { id }),
      format,
      index: this.#count++,
    };
  }
}

/** The signature of a tool call as Google's OpenAI-compatible API has it: clients send a call back with it. */
export const extraContent = (detail: ReasoningDetail | null): Json =>
  detail?.format === formats.gemini ? { extra_content: { google: { thought_signature: detail.data } } } : {};

/** That signature in a tool call that was sent back; null if there is none. */
export function thoughtSignatureOf({ extra_content: extra }: Json): string | null {
  const google = isJson(extra) ? extra.google : null;
  return isJson(google) ? textOrNull(google.thought_signature) : null;
}
