import { estimateStreamed, type Usage } from "#server/billing/index.ts";
import { limits } from "#server/platform/limits.ts";
import { billedUsage, type UsageBounds, type UsageEstimate } from "./billed-usage.ts";
import {
  type AttemptFailure,
  internalFailure,
  isAttemptFailure,
  malformed,
  toAttemptError,
  unrecorded,
} from "./failures.ts";
import { boundsOf, finish, finishFailed, noteImplausible } from "./finish.ts";
import type { Frames } from "./frames.ts";
import type { Part, Presenter } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { Job } from "./request-context.ts";

/** A stream whose first content is there. */
export interface Begun<P extends Part> {
  readonly first: readonly P[];
  readonly rest: AsyncGenerator<readonly P[], void, undefined>;
}

/**
 * Reads an upstream's stream up to its first content, so that a failure before it can still be answered by
 * another endpoint. Throws what the upstream's stream throws.
 */
export async function startStream<P extends Part>(
  rest: AsyncGenerator<readonly P[], void, undefined>,
): Promise<Begun<P>> {
  const first: P[] = [];
  for (;;) {
    const { value, done } = await rest.next();
    if (done) throw malformed("it has no content", 200);
    for (const part of value) first.push(part);
    if (value.some(({ hasContent }) => hasContent)) return { first, rest };
    if (first.length > limits.upstream.emptyEventsMax) throw malformed("it has no content", 200);
  }
}

/** A trace is cut before this. */
const keptBytesMax = 4 * limits.destinations.contentBytesMax;

/** What a stream has brought so far. */
class Progress<P extends Part> {
  /** Parts with text, and its bytes: the tokens so far when the upstream does not tell them. */
  #events = 0;
  #bytes = 0;
  finishReason: string | null = null;
  nativeFinishReason: string | null = null;
  /** Kept only when a destination wants to know what was said. */
  readonly produced: P[] = [];
  readonly #keep: boolean;
  /** What the provider reported last, and what is billed of it. */
  #reported: Usage | null = null;
  #billed: Usage | null = null;
  readonly #bounds: UsageBounds;
  readonly #estimate: UsageEstimate;

  constructor(bounds: UsageBounds, estimatePrompt: () => number, keep: boolean) {
    this.#keep = keep;
    this.#bounds = bounds;
    this.#estimate = { promptTokens: estimatePrompt, completionTokens: () => this.#estimated() };
  }

  note(part: P): void {
    const { usage, text, finishReason, nativeFinishReason } = part;
    // Of what no trace has room for only the end is kept.
    if (this.#keep && (this.#bytes <= keptBytesMax || finishReason !== null)) this.produced.push(part);
    if (text !== "") {
      this.#events++;
      this.#bytes += Buffer.byteLength(text);
    }
    if (usage) {
      this.#reported = usage;
      this.#billed = billedUsage(usage, this.#bounds, this.#estimate);
    }
    this.finishReason = finishReason ?? this.finishReason;
    this.nativeFinishReason = nativeFinishReason ?? this.nativeFinishReason;
  }

  #estimated(): number {
    return estimateStreamed({ events: this.#events, bytes: this.#bytes });
  }

  reported(): Usage | null {
    return this.#reported;
  }

  tokens(): number {
    return this.#billed?.completion ?? Math.min(this.#estimated(), this.#bounds.completionTokens);
  }

  usage(): Usage {
    return this.#billed ?? billedUsage(null, this.#bounds, this.#estimate);
  }
}

/**
 * Records how far the stream has come. Resolves once that is safe: what came is delivered after it, so that a crash
 * never finds more delivered than is billed. Throws `AttemptError` when it cannot be recorded.
 */
function progressRecorder(
  { generation, parts }: Pick<Job, "generation" | "parts">,
  progress: Progress<Part>,
) {
  const { billing, log } = parts;
  let recorded = -1;
  const complete = () => {
    const usage = progress.usage();
    const row = generation.row({ status: "interrupted", httpStatus: 200, usage });
    return billing.progress(row, generation.served()?.endpoint.price ?? null, usage.cacheWriteHour);
  };
  return async (): Promise<void> => {
    const tokens = progress.tokens();
    if (tokens <= recorded) return;
    const marked = recorded === -1 ? null : billing.mark(generation.id, tokens);
    recorded = tokens;
    try {
      await (marked ?? complete());
    } catch (error) {
      log.error(
        { event: "spool", generation_id: generation.id, error },
        "The progress of a stream could not be recorded: it ends here",
      );
      throw unrecorded();
    }
  };
}

/** Whether a batch says how its answer ended. */
const saysEnd = (batch: readonly Part[]): boolean => batch.some(({ finishReason }) => finishReason !== null);

/** What a client is told of an error in the middle of its stream. */
function failureOf(error: unknown, { generation, parts }: Pick<Job, "generation" | "parts">): AttemptFailure {
  if (isAttemptFailure(error)) return toAttemptError(error).failure;
  parts.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
  return internalFailure;
}

/**
 * The client's stream: what the upstream brings, then exactly one ending. The ending is recorded before it is
 * sent. When the reader leaves, what was produced until then is billed.
 */
export async function* relay<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
  presenter: Presenter<P>,
  { first, rest }: Begun<P>,
): Frames {
  const { generation, parts, operation } = job;
  const { statistics } = parts;
  const endpointId = generation.served()?.endpoint.id ?? "";
  const progress = new Progress<P>(
    boundsOf(job),
    () => operation.estimatePrompt(job.request),
    parts.broadcast.wants(generation.caller.orgId),
  );
  const recorded = progressRecorder(job, progress);
  let ended = false;
  const reasons = () => ({
    finishReason: progress.finishReason,
    nativeFinishReason: progress.nativeFinishReason,
  });
  const present = (batch: readonly P[]): string => {
    let frames = "";
    for (const part of batch) {
      progress.note(part);
      frames += presenter.part(part);
    }
    return frames;
  };
  generation.firstContent();
  try {
    let last = "";
    const opening = presenter.begin();
    const begun = present(first);
    await recorded();
    if (saysEnd(first)) last = begun;
    yield saysEnd(first) ? opening : opening + begun;
    for await (const batch of rest) {
      const frames = present(batch);
      // What says how the answer ended comes last, and goes out once that is on record.
      if (saysEnd(batch)) last = frames;
      else if (frames !== "") {
        await recorded();
        yield frames;
      }
    }
    const usage = progress.usage();
    statistics.produced(endpointId, usage.completion, generation.contentMs());
    noteImplausible(job, progress.reported(), usage);
    try {
      await finish(job, { ...reasons(), status: "completed", httpStatus: 200, usage }, progress.produced);
      ended = true;
    } catch (error) {
      // The end of an answer that is on no record is not sent.
      throw unrecorded(error);
    }
    yield last + presenter.completed({ usage, cost: generation.cost(usage) });
    return "ended";
  } catch (error) {
    // The reader left and the upstream was closed for it: no failure, and nobody to tell.
    if (job.call.signal.aborted) return "left";
    const failure = failureOf(error, job);
    if (failure.blame === "provider") statistics.failed(endpointId, failure.retryAfterMs);
    const usage = progress.usage();
    ended = true;
    const { nativeFinishReason } = progress;
    const how = { status: "failed", httpStatus: 200, errorCode: failure.code, usage } as const;
    await finishFailed(job, { ...how, finishReason: "error", nativeFinishReason }, progress.produced);
    yield presenter.failed(failure, { usage, cost: generation.cost(usage) });
    return "ended";
  } finally {
    if (!ended) {
      const how = { status: "cancelled", httpStatus: 200, usage: progress.usage() } as const;
      await finishFailed(job, { ...reasons(), ...how }, progress.produced);
      await rest.return();
    }
  }
}
