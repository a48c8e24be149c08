import { noCost, noUsage } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { ExhaustedError } from "./attempt.ts";
import { type AttemptFailure, internalFailure } from "./failures.ts";
import { finishFailed } from "./finish.ts";
import type { Frames } from "./frames.ts";
import type { Chunk, Presenter } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { type Begun, relay } from "./stream.ts";

/** The result of `work`, or null if it takes longer than `ms`. Throws its error in that time. */
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

/** The error event of a stream without an answer. */
function failureOf(error: unknown): AttemptFailure {
  if (error instanceof ExhaustedError) return error.failure;
  if (!(error instanceof AppError)) return internalFailure;
  const { code, message } = error;
  return { ...internalFailure, outcome: "refused", code, message };
}

/**
 * A stream that had to begin before its content: either its content, or one error event, because the status was
 * already sent.
 */
export async function* lateStream<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  presenterOf: () => Presenter<C>,
  begun: Promise<Begun<C>>,
): Frames {
  const { generation, deps, call } = ctx;
  let stream: Begun<C>;
  try {
    stream = await begun;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === internalFailure)
      deps.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
    const status = call.signal.aborted ? "cancelled" : "failed";
    await finishFailed(ctx, { status, httpStatus: 200, errorCode: failure.code });
    if (call.signal.aborted) return "left";
    const presenter = presenterOf();
    yield presenter.begin() + presenter.failed(failure, { usage: noUsage, cost: noCost });
    return "unanswered";
  }
  return yield* relay(ctx, presenterOf(), stream);
}
