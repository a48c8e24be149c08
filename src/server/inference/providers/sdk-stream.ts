import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { DetailWriter, extraContent, type ReasoningDetail } from "../reasoning/details.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { type FactReader, type Facts, noFacts } from "./answer-facts.ts";
import { ending, imageOf, logprobsOf, usageOf } from "./sdk-answer.ts";
import { annotationsOf, tierOf } from "./sdk-metadata.ts";

type Metadata = SharedV4ProviderMetadata | undefined;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

interface Chunk extends Json {
  readonly choices: readonly Json[];
}

const none: readonly Chunk[] = [];

const chunk = (delta: Json, rest: Json = {}): Chunk => ({
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});

/** A chunk with the facts that came with it. Facts of a choice need a chunk that has one. */
function withFacts(made: Chunk, { answer, choice, message }: Facts): Chunk {
  const [first] = made.choices;
  if (!first) return { ...answer, ...made };
  const said = message && isJson(first.delta) ? { delta: { ...message, ...first.delta } } : {};
  return { ...answer, ...made, choices: [{ ...choice, ...first, ...said }] };
}

const factChunk = (facts: Facts): readonly Chunk[] => {
  if (facts.choice || facts.message) return [withFacts(chunk({}), facts)];
  return facts.answer ? [withFacts({ choices: [] }, facts)] : none;
};

const detailChunk = (detail: ReasoningDetail | null): readonly Chunk[] =>
  detail ? [chunk({ reasoning_details: [detail] })] : none;

function finish({ finishReason, providerMetadata }: FinishPart, usage: Json | undefined): Chunk {
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
  /** Of the provider's last event, until they are sent. */
  #facts: Facts = noFacts;

  constructor(reader: FactReader) {
    this.#reader = reader;
  }

  /**
   * The chunks of a part; none if it contains nothing for a client. The facts of an event of the provider go out with
   * the first part that the package makes of it.
   */
  write(part: LanguageModelV4StreamPart): readonly Chunk[] {
    if (part.type === "raw") {
      const before = factChunk(this.#facts);
      this.#usage = this.#reader.usage(part.rawValue) ?? this.#usage;
      this.#facts = this.#reader.facts(part.rawValue);
      return before;
    }
    const chunks = this.#chunksOf(part);
    const [first] = chunks;
    const facts = this.#facts;
    if (!first || facts === noFacts) return chunks;
    this.#facts = noFacts;
    if (first.choices.length === 0) return [...factChunk(facts), ...chunks];
    return [withFacts(first, facts), ...chunks.slice(1)];
  }

  #chunksOf(part: LanguageModelV4StreamPart): readonly Chunk[] {
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

  #finish(part: FinishPart): readonly Chunk[] {
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

  #callChunk(id: string, rest: Json, more: Json = {}): Chunk {
    const index = this.#callIndex.get(id) ?? this.#callIndex.size;
    this.#callIndex.set(id, index);
    return chunk({ ...more, tool_calls: [{ index, ...rest }] });
  }

  /** A call's signature is in the chunk that opens it. */
  #open(id: string, name: string, text: string, metadata: Metadata): readonly Chunk[] {
    const detail = this.#details.signature(metadata, id);
    if (detail) this.#signedCalls.add(id);
    const call = { id, type: "function", function: { name, arguments: text }, ...extraContent(detail) };
    return [this.#callChunk(id, call, detail ? { reasoning_details: [detail] } : {})];
  }

  /** Most calls were streamed before they come completely. */
  #complete(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): readonly Chunk[] {
    const { toolCallId: id, toolName, input, providerMetadata } = part;
    if (!this.#callIndex.has(id)) return this.#open(id, toolName, input, providerMetadata);
    return this.#signedCalls.has(id) ? none : detailChunk(this.#details.signature(providerMetadata, id));
  }
}
