import type { Api } from "#contract/inference-operations.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import type { Cost, Usage } from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { Json } from "../wires/shared/json.ts";
import type { AttemptFailure } from "./failures.ts";
import type { Generation } from "./generation.ts";
import type { InferenceRequest, RequestEstimate } from "./request.ts";

/** A piece of what an upstream produced: a complete answer, or one event of a stream. */
export interface Chunk {
  readonly usage: Usage | null;
  /** Whether a client would see something of it; until then another endpoint may still be asked. */
  readonly hasContent: boolean;
  /** What was produced, to count tokens by when the upstream does not tell them. */
  readonly text: string;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
}

/** Understands one answer of an upstream. All but `finished` throw `AttemptError` for what breaks the protocol. */
export interface Reader<C extends Chunk> {
  /** An answer that came complete. */
  answer(value: unknown): C;
  /** One event of a streamed answer. How the answer ends is kept back until `end`. Null: nothing of interest. */
  event(value: unknown): C | null;
  /** Whether the upstream has said how its answer ends, so that only usage may follow. */
  finished(): boolean;
  /** What was kept back, after the last event. Throws when the upstream never said that its answer is complete. */
  end(): C;
}

/** How a request travels over one operation an upstream serves, in that operation's standard JSON. */
export interface Wire<Request extends InferenceRequest, C extends Chunk> {
  readonly api: Api;
  /** The requests it has to be sent as where the operation takes less at a time; their choices are numbered on. */
  split?(request: Request): readonly Request[];
  encode(request: Request, endpoint: Endpoint, maxTokens: number, stream: boolean): Json;
  reader(request: Request): Reader<C>;
}

/** What an answer to the client is made of besides its chunks. */
export interface UsageAndCost {
  readonly usage: Usage;
  readonly cost: Cost;
}

/** Writes a stream for the client: server-sent events as text, ready to be sent. */
export interface Presenter<C extends Chunk> {
  /** Events before the first chunk. */
  begin(): string;
  chunk(chunk: C): string;
  completed(billed: UsageAndCost): string;
  failed(failure: AttemptFailure, billed: UsageAndCost): string;
}

/** What the pipeline needs of an operation. One folder each in `operations/`, one line in `operation-table.ts`. */
export interface Operation<Request extends InferenceRequest, C extends Chunk, Complete> {
  /** As it stands in records. */
  readonly name: string;
  /** Request fields kept with the record: how it was asked, never what. */
  readonly recorded: ReadonlySet<keyof Request & string>;
  estimate(request: Request): RequestEstimate;
  /** Tokens of the prompt when no upstream tells them. */
  estimatePrompt(request: Request): number;
  /** The wires that can carry this request, best first. */
  wires(request: Request): readonly Wire<Request, C>[];
  complete(answer: C, generation: Generation, request: Request, billed: UsageAndCost): Complete;
  /** What was asked and answered, for traces; asked for only when a destination wants it. */
  content?(request: Request, produced: readonly C[]): TraceContent;
  /** Absent when the operation does not stream. */
  present?(generation: Generation, request: Request): Presenter<C>;
}
