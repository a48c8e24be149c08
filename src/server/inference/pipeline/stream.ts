import { estimateStreamed, type Usage } from "#server/billing/index.ts";
import type { Batches } from "#server/platform/batches.ts";
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
import type { Chunk, Presenter } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";

/** A stream that has its first content. */
export interface Begun<C extends Chunk> {
  readonly first: readonly C[];
  readonly rest: Batches<C>;
}

/**
 * Reads an upstream's stream up to its first content, so that after an earlier failure another endpoint can be tried.
 * Throws the errors of the upstream's stream.
 */
export async function startStream<C extends Chunk>(rest: Batches<C>): Promise<Begun<C>> {
  const first: C[] = [];
  try {
    while (first.length <= limits.upstream.emptyEventsMax) {
      const { value, done } = await rest.next();
      if (done) break;
      for (const chunk of value) first.push(chunk);
      if (value.some(({ hasContent }) => hasContent)) return { first, rest };
    }
    throw malformed("it has no content", 200);
  } catch (error) {
    await rest.close();
    throw error;
  }
}

/** Traces are truncated before this. */
const storedBytesMax = 4 * limits.destinations.contentBytesMax;

/** What a stream has brought so far. */
class Progress<C extends Chunk> {
  /** Chunks with text, and its bytes: they estimate the tokens so far when the upstream does not report them. */
  #events = 0;
  #bytes = 0;
  #finishReason: string | null = null;
  #nativeFinishReason: string | null = null;
  /** Stored only when a destination wants the content. */
  readonly produced: C[] = [];
  readonly #store: boolean;
  /** The provider's last usage report, and the billed usage. */
  #reported: Usage | null = null;
  #billed: Usage | null = null;
  readonly #bounds: UsageBounds;
  readonly #estimate: UsageEstimate;

  constructor(bounds: UsageBounds, estimatePrompt: () => number, store: boolean) {
    this.#store = store;
    this.#bounds = bounds;
    this.#estimate = { promptTokens: estimatePrompt, completionTokens: () => this.#estimated() };
  }

  note(chunk: C): void {
    const { usage, text, finishReason, nativeFinishReason } = chunk;
    // Beyond what a trace can hold, only the end is stored.
    if (this.#store && (this.#bytes <= storedBytesMax || finishReason !== null)) this.produced.push(chunk);
    if (text !== "") {
      this.#events++;
      this.#bytes += Buffer.byteLength(text);
    }
    if (usage) {
      this.#reported = usage;
      this.#billed = billedUsage(usage, this.#bounds, this.#estimate);
    }
    this.#finishReason = finishReason ?? this.#finishReason;
    this.#nativeFinishReason = nativeFinishReason ?? this.#nativeFinishReason;
  }

  reasons() {
    return { finishReason: this.#finishReason, nativeFinishReason: this.#nativeFinishReason };
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
 * Records the progress of the stream, unless it is known. Resolves once that is durable; only then the chunk is
 * delivered, so that after a crash no more was delivered than is billed. Rejects with `AttemptError` if it cannot be
 * recorded.
 */
function progressRecorder(
  { generation, deps }: Pick<RequestContext, "generation" | "deps">,
  progress: Progress<Chunk>,
) {
  const { billing, log } = deps;
  let recorded = -1;
  const complete = () => {
    const usage = progress.usage();
    const row = generation.row({ status: "interrupted", httpStatus: 200, usage });
    return billing.progress(row, generation.served()?.endpoint.price ?? null, usage.cacheWriteHour);
  };
  const failed = (error: unknown): never => {
    log.error(
      { event: "spool", generation_id: generation.id, error },
      "The progress of a stream could not be recorded: it ends here",
    );
    throw unrecorded();
  };
  return (): Promise<void> | undefined => {
    const tokens = progress.tokens();
    if (tokens <= recorded) return undefined;
    const marked = recorded === -1 ? null : billing.mark(generation.id, tokens);
    recorded = tokens;
    return (marked ?? complete()).catch(failed);
  };
}

/** An end that could not be recorded is not sent. */
const unsent = (error: unknown): never => {
  throw unrecorded(error);
};

/** Whether a batch contains the finish reason. */
const saysEnd = (batch: readonly Chunk[]): boolean => batch.some(({ finishReason }) => finishReason !== null);

/** The failure that a client receives in the middle of its stream. */
function failureOf(
  error: unknown,
  { generation, deps }: Pick<RequestContext, "generation" | "deps">,
): AttemptFailure {
  if (isAttemptFailure(error)) return toAttemptError(error).failure;
  deps.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
  return internalFailure;
}

/**
 * The client's stream: the upstream's chunks, then exactly one end, which is recorded before it is sent. If the
 * client disconnects, what was produced until then is billed.
 */
export async function* relay<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  presenter: Presenter<C>,
  { first, rest }: Begun<C>,
): Frames {
  const { generation, deps, operation } = ctx;
  const { statistics } = deps;
  const measuredAs = generation.served()?.endpoint.measuredAs ?? "";
  const progress = new Progress<C>(
    boundsOf(ctx),
    () => operation.estimatePrompt(ctx.request),
    deps.broadcast.wants(generation.caller.orgId),
  );
  const recorded = progressRecorder(ctx, progress);
  const digest = ctx.call.digests?.ofEvents();
  let ended = false;
  const present = (batch: readonly C[]): string => {
    let frames = "";
    for (const chunk of batch) {
      progress.note(chunk);
      generation.usedTier(chunk.serviceTier);
      frames += presenter.chunk(chunk);
    }
    return frames;
  };
  generation.firstContent();
  try {
    let last = "";
    const opening = presenter.begin() + present(first);
    if (saysEnd(first)) last = opening;
    else {
      await recorded();
      digest?.addEvents(opening);
      yield opening;
    }
    for (let batch = rest.take(); batch !== "ended"; batch = rest.take()) {
      if (batch === "waiting") {
        await rest.arrival();
        continue;
      }
      const frames = present(batch);
      // The finish reason is sent last, once the end is recorded.
      if (saysEnd(batch)) last = frames;
      else if (frames !== "") {
        await recorded();
        digest?.addEvents(frames);
        yield frames;
      }
    }
    const usage = progress.usage();
    statistics.produced(measuredAs, usage.completion, generation.contentMs());
    noteImplausible(ctx, progress.reported(), usage);
    const end = last + presenter.completed({ usage, cost: generation.cost(usage) });
    digest?.addEvents(end);
    const how = { status: "completed", httpStatus: 200, usage, answerDigest: digest?.value() } as const;
    await finish(ctx, { ...progress.reasons(), ...how }, progress.produced).catch(unsent);
    ended = true;
    yield end;
    return "ended";
  } catch (error) {
    await rest.close();
    // The client disconnected and the upstream was closed for it: no failure, and nobody to report to.
    if (ctx.call.signal.aborted) return "left";
    const failure = failureOf(error, ctx);
    if (failure.blame === "provider") statistics.failed(measuredAs, failure.retryAfterMs);
    const usage = progress.usage();
    ended = true;
    const how = { status: "failed", httpStatus: 200, errorCode: failure.code, usage } as const;
    await finishFailed(ctx, { ...progress.reasons(), ...how, finishReason: "error" }, progress.produced);
    yield presenter.failed(failure, { usage, cost: generation.cost(usage) });
    return "ended";
  } finally {
    if (!ended) {
      const how = { status: "cancelled", httpStatus: 200, usage: progress.usage() } as const;
      await finishFailed(ctx, { ...progress.reasons(), ...how }, progress.produced);
    }
    await rest.close();
  }
}
