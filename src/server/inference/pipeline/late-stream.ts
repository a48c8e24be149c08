import { noCost, noUsage } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { ExhaustedError } from "./attempt.ts";
import { type AttemptFailure, internalFailure } from "./failures.ts";
import { finishFailed } from "./finish.ts";
import type { Frames } from "./frames.ts";
import type { Part, Presenter } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { Job } from "./request-context.ts";
import { type Begun, relay } from "./stream.ts";

/** What `work` gives, or null when it takes longer than `ms`. Throws what it throws by then. */
export async function within<T extends object>(work: Promise<T>, ms: number | undefined): Promise<T | null> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why nobody answered, in the words a stream may tell it in. */
function failureOf(error: unknown): AttemptFailure {
  if (error instanceof ExhaustedError) return error.failure;
  if (!(error instanceof AppError)) return internalFailure;
  const { code, message } = error;
  return { ...internalFailure, outcome: "refused", code, message };
}

/**
 * A stream that had to begin before its content: what `begun` brings, or one error event in place of an answer, for
 * the status can no longer tell it.
 */
export async function* lateStream<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
  presenterOf: () => Presenter<P>,
  begun: Promise<Begun<P>>,
): Frames {
  const { generation, parts, call } = job;
  let stream: Begun<P>;
  try {
    stream = await begun;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === internalFailure)
      parts.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
    const status = call.signal.aborted ? "cancelled" : "failed";
    await finishFailed(job, { status, httpStatus: 200, errorCode: failure.code });
    if (call.signal.aborted) return "left";
    const presenter = presenterOf();
    yield presenter.begin() + presenter.failed(failure, { usage: noUsage, cost: noCost });
    return "unanswered";
  }
  return yield* relay(job, presenterOf(), stream);
}
