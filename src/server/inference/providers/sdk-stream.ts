import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { DetailWriter, extraContent, type ReasoningDetail } from "../reasoning/details.ts";
import type { Json } from "../wires/shared/json.ts";
import type { FactReader, Facts } from "./answer-facts.ts";
import { ending, imageOf, logprobsOf, usageOf } from "./sdk-answer.ts";
import { annotationsOf, tierOf } from "./sdk-metadata.ts";

type Metadata = SharedV4ProviderMetadata | undefined;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

const none: readonly Json[] = [];

const chunk = (delta: Json, rest: Json = {}): Json => ({
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});

const factChunk = ({ answer, choice, message }: Facts): readonly Json[] => {
  if (choice || message) return [{ ...answer, ...chunk(message ?? {}, choice) }];
  return answer ? [{ ...answer, choices: [] }] : none;
};

const detailChunk = (detail: ReasoningDetail | null): readonly Json[] =>
  detail ? [chunk({ reasoning_details: [detail] })] : none;

function finish({ finishReason, providerMetadata }: FinishPart, usage: Json | undefined): Json {
  // If the stream was interrupted, the provider has given no finish reason.
  const isEnded = finishReason.raw !== undefined;
  const logprobs = logprobsOf(providerMetadata);
  const last = isEnded ? chunk({}, { logprobs, ...ending(finishReason) }) : { choices: [] };
  return { ...tierOf(providerMetadata), ...last, usage };
}

/** What a block of a stream has said, and its metadata, which may come with any of its parts. */
interface Block {
  text: string;
  metadata: Metadata;
}

/** Converts the SDK's stream to OpenAI's chunks, one part at a time. */
export class ChunkWriter {
  readonly #reader: FactReader;
  readonly #details = new DetailWriter();
  readonly #blocks = new Map<string, Block>();
  readonly #callIndex = new Map<string, number>();
  readonly #signedCalls = new Set<string>();

  /** The provider's own usage, if the package does not keep all of it. */
  #usage: Json | null = null;

  constructor(reader: FactReader) {
    this.#reader = reader;
  }

  /** The chunks of a part; none if it contains nothing for a client. */
  write(part: LanguageModelV4StreamPart): readonly Json[] {
    switch (part.type) {
      case "reasoning-start":
      case "text-start":
        this.#note(part.id, "", part.providerMetadata);
        return none;
      case "text-delta":
        this.#note(part.id, "", part.providerMetadata);
        return part.delta === "" ? none : [chunk({ content: part.delta })];
      case "text-end":
        return detailChunk(this.#details.signature(this.#end(part.id, part.providerMetadata).metadata));
      case "reasoning-delta":
        this.#note(part.id, part.delta, part.providerMetadata);
        return part.delta === "" ? none : [chunk({ reasoning: part.delta })];
      case "reasoning-end": {
        const { text, metadata } = this.#end(part.id, part.providerMetadata);
        return detailChunk(this.#details.reasoning(text, metadata));
      }
      case "tool-input-start":
        return part.providerExecuted ? none : this.#open(part.id, part.toolName, "", part.providerMetadata);
      case "tool-input-delta":
        return this.#callIndex.has(part.id)
          ? [this.#callChunk(part.id, { function: { arguments: part.delta } })]
          : none;
      case "tool-call":
        return part.providerExecuted ? none : this.#complete(part);
      case "raw":
        this.#usage = this.#reader.usage(part.rawValue) ?? this.#usage;
        return factChunk(this.#reader.facts(part.rawValue));
      case "file":
        return [chunk({ images: [imageOf(part)] })];
      case "source": {
        if (this.#reader.hasSources) return none;
        const annotations = annotationsOf(part);
        return annotations.length > 0 ? [chunk({ annotations })] : none;
      }
      case "finish":
        return this.#finish(part);
      default:
        return none;
    }
  }

  #finish(part: FinishPart): readonly Json[] {
    const { from, kind } = this.#reader;
    const facts = from === "metadata" ? factChunk(this.#reader.facts(part.providerMetadata)) : none;
    return [...facts, finish(part, usageOf(part.usage, kind, this.#usage))];
  }

  /** The text of reasoning is stored, because its signature comes after it and belongs to all of it. */
  #note(id: string, text: string, metadata: Metadata): Block {
    const block = this.#blocks.get(id) ?? { text: "", metadata: undefined };
    block.text += text;
    block.metadata = metadata ?? block.metadata;
    this.#blocks.set(id, block);
    return block;
  }

  #end(id: string, metadata: Metadata): Block {
    const block = this.#note(id, "", metadata);
    this.#blocks.delete(id);
    return block;
  }

  #callChunk(id: string, rest: Json, more: Json = {}): Json {
    const index = this.#callIndex.get(id) ?? this.#callIndex.size;
    this.#callIndex.set(id, index);
    return chunk({ ...more, tool_calls: [{ index, ...rest }] });
  }

  /** A call's signature is in the chunk that opens it. */
  #open(id: string, name: string, text: string, metadata: Metadata): readonly Json[] {
    const detail = this.#details.signature(metadata, id);
    if (detail) this.#signedCalls.add(id);
    const call = { id, type: "function", function: { name, arguments: text }, ...extraContent(detail) };
    return [this.#callChunk(id, call, detail ? { reasoning_details: [detail] } : {})];
  }

  /** Most calls were streamed before they come completely. */
  #complete(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): readonly Json[] {
    const { toolCallId: id, toolName, input, providerMetadata } = part;
    if (!this.#callIndex.has(id)) return this.#open(id, toolName, input, providerMetadata);
    return this.#signedCalls.has(id) ? none : detailChunk(this.#details.signature(providerMetadata, id));
  }
}
