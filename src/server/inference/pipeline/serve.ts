import type { Caller } from "#server/access/caller.ts";
import { estimateTokens } from "#server/billing/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { admit } from "./admit.ts";
import { readComplete, tryEach } from "./attempt.ts";
import { billedUsage } from "./billed-usage.ts";
import { boundsOf, finish, finishFailed, noteImplausible } from "./finish.ts";
import type { Frames } from "./frames.ts";
import { lateStream, within } from "./late-stream.ts";
import type { Chunk, Operation, Presenter } from "./operation.ts";
import { ChunkBatches } from "./read-stream.ts";
import type { InferenceRequest } from "./request.ts";
import type { InferenceCall, InferenceDeps, RequestContext } from "./request-context.ts";
import { admissionHeaders, routingHeaders } from "./result.ts";
import { relay, startStream } from "./stream.ts";

/**
 * An answer with its headers. Those of a stream name the provider, unless it begins before its first content: then it
 * is `waiting`, and the client should get something immediately.
 */
export type Answer<Complete> =
  | { readonly headers: Record<string, string>; readonly body: Complete; readonly frames?: undefined }
  | {
      readonly headers: Record<string, string>;
      readonly frames: Frames;
      readonly waiting?: boolean;
      readonly body?: undefined;
    };

async function complete<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
): Promise<Answer<Complete>> {
  const { generation, request, deps, operation } = ctx;
  const answer = await tryEach(ctx, readComplete);
  const tookMs = generation.tryingMs();
  generation.firstContent();
  generation.usedTier(answer.serviceTier);
  const usage = billedUsage(answer.usage, boundsOf(ctx), {
    promptTokens: () => operation.estimatePrompt(request),
    completionTokens: () => estimateTokens(answer.text),
  });
  noteImplausible(ctx, answer.usage, usage);
  const served = generation.served();
  if (served && ctx.estimate.answers > 0)
    deps.statistics.produced(served.endpoint.measuredAs, usage.completion, tookMs);
  const { finishReason, nativeFinishReason } = answer;
  const body = operation.complete(answer, generation, request, { usage, cost: generation.cost(usage) });
  const answerDigest = await ctx.call.digests?.ofJson(body);
  const ending = { status: "completed", httpStatus: 200, usage, finishReason, nativeFinishReason } as const;
  await finish(ctx, { ...ending, answerDigest }, [answer]);
  return { headers: routingHeaders(generation), body };
}

/** A stream, at the latest when the client has waited for long enough. Throws errors that happen until then. */
async function streamed<Request extends InferenceRequest, C extends Chunk, Complete>(
  ctx: RequestContext<Request, C, Complete>,
  presenterOf: () => Presenter<C>,
): Promise<Answer<Complete>> {
  const begun = tryEach(ctx, (attempt) => startStream(new ChunkBatches(attempt)));
  // Later errors are sent in the stream.
  begun.catch(() => {});
  const inTime = await within(begun, ctx.call.beginAfterMs);
  if (inTime) return { headers: routingHeaders(ctx.generation), frames: relay(ctx, presenterOf(), inTime) };
  // The provider is not known yet, so the headers cannot name it.
  const headers = admissionHeaders(ctx.generation);
  return { headers, frames: lateStream(ctx, presenterOf, begun), waiting: true };
}

/** Serves one inference request: admit, route, attempt, finish. Throws `AppError`. */
export async function serve<Request extends InferenceRequest, C extends Chunk, Complete>(
  deps: InferenceDeps,
  caller: Caller,
  operation: Operation<Request, C, Complete>,
  request: Request,
  call: InferenceCall,
): Promise<Answer<Complete>> {
  const ctx = await admit(deps, caller, operation, request, call);
  try {
    const { present } = operation;
    if (request.stream !== true || !present) return await complete(ctx);
    return await streamed(ctx, () => present(ctx.generation, request));
  } catch (error) {
    const problem = error instanceof AppError ? error : null;
    const cancelled = call.signal.aborted;
    await finishFailed(ctx, {
      status: cancelled ? "cancelled" : "failed",
      httpStatus: problem?.status ?? 500,
      errorCode: problem?.code ?? "INTERNAL_ERROR",
    });
    throw error;
  }
}
