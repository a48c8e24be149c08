import { estimateStreamed, type Usage } from "#server/billing/index.ts";
import { internalFailure, isAttemptFailure, malformed, toAttemptError } from "./failures.ts";
import type { Frames } from "./frames.ts";
import type { Ending } from "./generation.ts";
import type { Job } from "./job.ts";
import type { Part, Presenter } from "./operation.ts";
import type { TokenBounds } from "./plan.ts";
import type { InferenceRequest } from "./request.ts";
import { boundsOf, estimatedUsage, settle } from "./settle.ts";

/** A stream whose first content is there. */
interface Begun<P extends Part> {
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
    first.push(...value);
    if (value.some(({ hasContent }) => hasContent)) return { first, rest };
  }
}

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
  #usage: Usage | null = null;
  readonly #bounds: TokenBounds;
  readonly #estimatePrompt: () => number;

  constructor(bounds: TokenBounds, estimatePrompt: () => number, keep: boolean) {
    this.#keep = keep;
    this.#bounds = bounds;
    this.#estimatePrompt = estimatePrompt;
  }

  note(part: P): void {
    const { usage, text, finishReason, nativeFinishReason } = part;
    if (this.#keep) this.produced.push(part);
    this.#usage = usage ?? this.#usage;
    if (text !== "") {
      this.#events++;
      this.#bytes += Buffer.byteLength(text);
    }
    this.finishReason = finishReason ?? this.finishReason;
    this.nativeFinishReason = nativeFinishReason ?? this.nativeFinishReason;
  }

  tokens(): number {
    if (this.#usage) return this.#usage.completion;
    const estimate = estimateStreamed({ events: this.#events, bytes: this.#bytes });
    return Math.min(estimate, this.#bounds.completionTokens);
  }

  usage(): Usage {
    return this.#usage ?? estimatedUsage(this.#bounds, this.#estimatePrompt(), this.tokens());
  }
}

/**
 * Writes down how far the stream has come. Resolves once that is safe: what came is delivered after it, so that a
 * crash never finds more delivered than is billed.
 */
function progressWriter({ generation, parts }: Pick<Job, "generation" | "parts">, progress: Progress<Part>) {
  const { billing, log } = parts;
  let written = -1;
  let complained = false;
  const whole = () => {
    const usage = progress.usage();
    const row = generation.row({ status: "interrupted", httpStatus: 200, usage });
    return billing.progress(row, generation.served()?.endpoint.price ?? null, usage.cacheWriteHour);
  };
  return async (): Promise<void> => {
    const tokens = progress.tokens();
    if (tokens <= written) return;
    const marked = written === -1 ? null : billing.mark(generation.id, tokens);
    written = tokens;
    try {
      await (marked ?? whole());
    } catch (error) {
      if (!complained)
        log.error({ event: "spool", generation_id: generation.id, error }, "Progress could not be spooled");
      complained = true;
    }
  };
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
  const recorded = progressWriter(job, progress);
  let ended = false;
  const end = async (ending: Ending) => {
    ended = true;
    const { finishReason, nativeFinishReason } = progress;
    await settle(job, { finishReason, nativeFinishReason, ...ending }, progress.produced);
  };
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
    const opening = presenter.begin() + present(first);
    await recorded();
    yield opening;
    for await (const batch of rest) {
      const frames = present(batch);
      if (frames === "") continue;
      await recorded();
      yield frames;
    }
    const usage = progress.usage();
    statistics.produced(endpointId, usage.completion, generation.contentMs());
    await end({ status: "completed", httpStatus: 200, usage });
    yield presenter.completed({ usage, cost: generation.cost(usage) });
    return true;
  } catch (error) {
    // The reader left and the upstream was closed for it: no failure, and nobody to tell.
    if (job.call.signal.aborted) return false;
    if (!isAttemptFailure(error)) {
      parts.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
    }
    const failure = isAttemptFailure(error) ? toAttemptError(error).failure : internalFailure;
    if (failure.blame === "provider") statistics.failed(endpointId, failure.retryAfterMs);
    const usage = progress.usage();
    await end({ status: "failed", httpStatus: 200, errorCode: failure.code, finishReason: "error", usage });
    yield presenter.failed(failure, { usage, cost: generation.cost(usage) });
    return true;
  } finally {
    if (!ended) {
      await end({ status: "cancelled", httpStatus: 200, usage: progress.usage() });
      await rest.return();
    }
  }
}
