import type { Api } from "#contract/inference-operations.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import type { Cost, Usage } from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { FieldNames } from "../parameters/changes.ts";
import type { Sending } from "../parameters/send.ts";
import type { Json } from "../wires/shared/json.ts";
import type { AttemptFailure } from "./failures.ts";
import type { Generation } from "./generation.ts";
import type { InferenceRequest, RequestEstimate } from "./request.ts";

/** A part of an upstream's answer: a complete answer, or one event of a stream. */
export interface Chunk {
  readonly usage: Usage | null;
  /** Whether it contains something visible to a client; until then another endpoint may be tried. */
  readonly hasContent: boolean;
  /** The generated text, to estimate tokens if the upstream does not report them. */
  readonly text: string;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
  /** The service tier that the provider says it used; null or left out when it names none. */
  readonly serviceTier?: string | null;
}

/** Reads one answer of an upstream. All but `finished` throw `AttemptError` for protocol errors. */
export interface Reader<C extends Chunk> {
  /** A complete answer. */
  answer(value: unknown): C;
  /** One event of a streamed answer. The finish reason is held back until `end`. Null: nothing of interest. */
  event(value: unknown): C | null;
  /** Whether the upstream has sent the finish reason, so that only usage may follow. */
  finished(): boolean;
  /** What was held back, after the last event. Throws if the upstream never marked its answer as complete. */
  end(): C;
}

/** How a request is sent over one operation of an upstream, in that operation's standard JSON. */
export interface Wire<Request extends InferenceRequest, C extends Chunk> {
  readonly api: Api;
  /** Whether it is the right one for this request at an endpoint that has the operation; absent: always. */
  serves?(request: Request, endpoint: Endpoint): boolean;
  /** The requests to send instead if the operation accepts less at a time; their choices are renumbered. */
  split?(request: Request, endpoint: Endpoint): readonly Request[];
  /** The body for an endpoint. Throws `AttemptError` if the endpoint cannot serve the request. */
  encode(request: Request, endpoint: Endpoint, sending: Sending): Json;
  /** Headers of the client that the upstream gets too. */
  headers?(request: Request): Readonly<Record<string, string>>;
  reader(request: Request): Reader<C>;
}

/** What an answer to the client needs besides its chunks. */
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
  /** The name in records. */
  readonly name: string;
  /** Request fields stored with the record: parameters, never content. */
  readonly recorded: ReadonlySet<keyof Request & string>;
  estimate(request: Request): RequestEstimate;
  /** The client's names of fields that this operation has under another name than chat. */
  fieldNames?(request: Request): FieldNames;
  /** Estimated tokens of the prompt if no upstream reports them. */
  estimatePrompt(request: Request): number;
  /** The wires that can carry this request, best first. */
  wires(request: Request): readonly Wire<Request, C>[];
  complete(answer: C, generation: Generation, request: Request, billed: UsageAndCost): Complete;
  /** Input and output for traces; called only if a destination wants them. */
  content?(request: Request, produced: readonly C[]): TraceContent;
  /** Absent if the operation does not stream. */
  present?(generation: Generation, request: Request): Presenter<C>;
}
