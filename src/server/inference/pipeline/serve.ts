import type { Caller } from "#server/access/caller.ts";
import { estimateTokens } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { admit } from "./admit.ts";
import { readStream, readWhole, tryEach } from "./attempt.ts";
import { billedUsage } from "./billed-usage.ts";
import { boundsOf, finish, finishFailed, noteImplausible } from "./finish.ts";
import type { Frames } from "./frames.ts";
import { lateStream, within } from "./late-stream.ts";
import type { Operation, Part, Presenter } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { InferenceCall, InferenceParts, Job } from "./request-context.ts";
import { routingHeaders } from "./result.ts";
import { relay, startStream } from "./stream.ts";

/**
 * An answer with its headers. A stream's tell who serves it, unless it begins before its first content: then it is
 * `waiting`, and the client is to see something of it at once.
 */
export type Answer<Whole> =
  | { readonly headers: Record<string, string>; readonly body: Whole; readonly frames?: undefined }
  | {
      readonly headers: Record<string, string>;
      readonly frames: Frames;
      readonly waiting?: boolean;
      readonly body?: undefined;
    };

async function whole<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
): Promise<Answer<Whole>> {
  const { generation, request, parts, operation } = job;
  const answer = await tryEach(job, readWhole);
  const tookMs = generation.tryingMs();
  generation.firstContent();
  const usage = billedUsage(answer.usage, boundsOf(job), {
    promptTokens: () => operation.estimatePrompt(request),
    completionTokens: () => estimateTokens(answer.text),
  });
  noteImplausible(job, answer.usage, usage);
  const served = generation.served();
  if (served && job.demand.answers > 0)
    parts.statistics.produced(served.endpoint.id, usage.completion, tookMs);
  const { finishReason, nativeFinishReason } = answer;
  const ending = { status: "completed", httpStatus: 200, usage, finishReason, nativeFinishReason } as const;
  await finish(job, ending, [answer]);
  const body = operation.whole(answer, generation, request, { usage, cost: generation.cost(usage) });
  return { headers: routingHeaders(generation), body };
}

/** A stream, at the latest when the client has waited for long enough. Throws what is known to fail by then. */
async function streamed<Request extends InferenceRequest, P extends Part, Whole>(
  job: Job<Request, P, Whole>,
  presenterOf: () => Presenter<P>,
): Promise<Answer<Whole>> {
  const begun = tryEach(job, (attempt) => startStream(readStream(attempt)));
  // Of one that is not waited for any more its stream tells.
  begun.catch(() => {});
  const inTime = await within(begun, job.call.beginAfterMs);
  if (inTime) return { headers: routingHeaders(job.generation), frames: relay(job, presenterOf(), inTime) };
  // Who will serve is not known yet, so the headers cannot say it.
  const headers = { "x-generation-id": job.generation.id };
  return { headers, frames: lateStream(job, presenterOf, begun), waiting: true };
}

/** Serves one inference request: admit, route, attempt, finish. Throws `AppError`. */
export async function serve<Request extends InferenceRequest, P extends Part, Whole>(
  parts: InferenceParts,
  caller: Caller,
  operation: Operation<Request, P, Whole>,
  request: Request,
  call: InferenceCall,
): Promise<Answer<Whole>> {
  const job = await admit(parts, caller, operation, request, call);
  try {
    const { present } = operation;
    if (request.stream !== true || !present) return await whole(job);
    return await streamed(job, () => present(job.generation, request));
  } catch (error) {
    const problem = error instanceof AppError ? error : null;
    const cancelled = call.signal.aborted;
    await finishFailed(job, {
      status: cancelled ? "cancelled" : "failed",
      httpStatus: problem?.status ?? 500,
      errorCode: problem?.code ?? "INTERNAL_ERROR",
    });
    throw error;
  }
}
