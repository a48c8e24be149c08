import type { Chunk } from "#server/inference/pipeline/operation.ts";
import type { Json } from "../shared/json.ts";

/** An event of a message's content, without what stands around the content. */
export interface MessageEvent extends Json {
  readonly type: string;
}

/** How an answer ended, in Anthropic's words. */
export interface MessageEnding {
  readonly stopReason: string;
  readonly stopSequence: string | null;
  /** Members of the message that are Anthropic's own. */
  readonly extras?: Json;
  /** The usage as Anthropic reported it. */
  readonly usage?: Json;
}

export interface MessagesChunk extends Chunk {
  readonly events: readonly MessageEvent[];
  /** All blocks so far, this part included. */
  content(): readonly Json[];
  readonly ending: MessageEnding | null;
  /** The usage with which the upstream began, if it reported one. */
  readonly startUsage?: Json;
}
