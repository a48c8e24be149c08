import type { Completion, CompletionRequest } from "#contract/completions.ts";
import type { Caller } from "#server/auth/caller.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Candidate } from "#server/policy/index.ts";
import { attemptStream, attemptWhole, deadline } from "./attempt.ts";
import { type AttemptError, toAttemptError } from "./failures.ts";
import { Generation } from "./generation.ts";
import { type InferenceCall, type InferenceParts, type Job, settle, usageOr } from "./job.ts";
import { costBound, makePlan, maxTokensFor, needsOf, promptTokensMax } from "./plan.ts";
import { completionHead, completionObject, completionUsage, routingHeaders } from "./result.ts";
import { type CompletionChunk, startStream } from "./stream.ts";
import { type CompletionWire, wiresFor } from "./wire/completions.ts";
import type { Generated } from "./wire/generated.ts";

/** An answer with its headers; a stream's headers are known once its first content is. */
export type Answer =
  | { readonly headers: Record<string, string>; readonly body: Completion; readonly chunks?: undefined }
  | {
      readonly headers: Record<string, string>;
      readonly chunks: AsyncGenerator<CompletionChunk>;
      readonly body?: undefined;
    };

const asKey = (caller: Caller) => {
  if (caller.kind === "key") return caller;
  throw new AppError("FORBIDDEN", "Inference needs an API key");
};

/** A session stays with the endpoint that served it, model by model; sessions of others are other sessions. */
const sessionOf = ({ orgId }: Caller, { session_id: id, model, models }: CompletionRequest): string | null =>
  id ? `${orgId} ${model ?? models?.join() ?? ""} ${id}` : null;

/** Reserves the money and writes the admission down before any provider is asked. */
async function admit(
  parts: InferenceParts,
  caller: Caller,
  request: CompletionRequest,
  call: InferenceCall,
): Promise<{ job: Job; candidates: readonly Candidate[] }> {
  const apis = wiresFor(request).map(({ api }) => api);
  const today = isoDay(clock.nowMs());
  const key = asKey(caller);
  const subject = { orgId: key.orgId, userId: key.userId, workspaceId: key.workspaceId, keyId: key.keyId };
  const session = sessionOf(key, request);
  const sessionEndpoint = session === null ? undefined : parts.sessions.endpointOf(session);
  const context = { subject, apis, today, needs: needsOf(request), sessionEndpoint };
  const plan = makePlan(parts.router, request, context, key.allowedModels);
  const generation = new Generation(key, request, call, plan, parts.catalogue.exchangeRate);
  const bound = costBound(plan, request, parts.catalogue);
  const hold = await parts.billing.hold(key.orgId, bound, key.budgets);
  try {
    await parts.billing.admit(generation.row({ status: "interrupted", httpStatus: 500 }));
  } catch (error) {
    hold.settle(0n);
    throw new AppError("SERVICE_UNAVAILABLE", "Requests cannot be recorded at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
  const job = {
    parts,
    call,
    request,
    generation,
    hold,
    session,
    promptTokens: promptTokensMax(request),
    deadlineMs: deadline(),
  };
  return { job, candidates: plan.candidates };
}

type Send = ReturnType<typeof exchangeWith>;

function exchangeWith(job: Job, { endpoint }: Candidate) {
  const { parts, request, generation, call } = job;
  let wire: CompletionWire | undefined;
  for (const candidate of wiresFor(request)) if (!wire && endpoint.apis.has(candidate.api)) wire = candidate;
  const target = wire && parts.targets(endpoint, wire.api);
  if (!wire || !target)
    throw new AppError("SERVICE_UNAVAILABLE", `${endpoint.provider.name} cannot be spoken to yet`);
  const maxTokens = maxTokensFor(request, endpoint, job.promptTokens);
  return {
    outbound: parts.outbound,
    target,
    generationId: generation.id,
    body: JSON.stringify(wire.encode(request, endpoint, maxTokens, request.stream === true)),
    deadlineMs: job.deadlineMs,
    signal: call.signal,
    decode: wire.decode,
  };
}

/** The answer to the client when every attempt failed: the last failure, with all of them listed. */
function exhausted({ generation }: Job, { failure }: AttemptError): AppError {
  const waitMs = failure.retryAfterMs;
  const retryAfter: Record<string, string> =
    waitMs === null ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return new AppError(failure.code, failure.message, {
    headers: { ...routingHeaders(generation), ...retryAfter },
    metadata: {
      provider: generation.served?.endpoint.provider.slug ?? null,
      previous_errors: generation.attempts.map(({ provider, outcome, status }) => ({
        provider,
        code: outcome,
        status,
      })),
    },
  });
}

/**
 * Asks one endpoint after the other until one has begun to answer. `use` resolves once the answer is certain:
 * whole, or with its first content.
 */
async function tryEach<T>(
  job: Job,
  candidates: readonly Candidate[],
  use: (send: Send) => Promise<T>,
): Promise<T> {
  const { generation, parts, session } = job;
  const { statistics } = parts;
  let last: AttemptError | undefined;
  for (const candidate of candidates) {
    const sinceMs = generation.elapsedMs();
    const provider = candidate.endpoint.provider.slug;
    const { id } = candidate.endpoint;
    generation.trying(candidate);
    statistics.trying(id);
    try {
      const result = await use(exchangeWith(job, candidate));
      statistics.succeeded(id);
      if (job.request.stream === true) statistics.firstContent(id, generation.tryingMs());
      if (session !== null) parts.sessions.served(session, id);
      generation.attempted(candidate.endpoint, "ok", 200, sinceMs);
      parts.metrics.attempts.inc({ provider, outcome: "ok" });
      return result;
    } catch (error) {
      last = toAttemptError(error);
      if (last.failure.blame === "provider") statistics.failed(id, last.failure.retryAfterMs);
      else statistics.undecided(id);
      generation.attempted(candidate.endpoint, last.failure.outcome, last.failure.status, sinceMs);
      parts.metrics.attempts.inc({ provider, outcome: last.failure.outcome });
      if (!last.failure.retry || job.call.signal.aborted) break;
    }
  }
  if (!last) throw new AppError("SERVICE_UNAVAILABLE", "No provider was left to ask");
  throw exhausted(job, last);
}

async function whole(job: Job, candidates: readonly Candidate[]): Promise<Answer> {
  const { generation, request, parts } = job;
  const generated: Generated = await tryEach(job, candidates, attemptWhole);
  const tookMs = generation.tryingMs();
  generation.firstContent();
  const usage = usageOr(generated.usage, request, generated.choices.map(({ text }) => text).join(""));
  if (generation.served) parts.statistics.produced(generation.served.endpoint.id, usage.completion, tookMs);
  const choice = generated.choices[0];
  await settle(job, {
    status: "completed",
    httpStatus: 200,
    usage,
    finishReason: choice?.finish_reason ?? null,
    nativeFinishReason: choice?.native_finish_reason ?? null,
  });
  const head = completionHead(generation, generated.systemFingerprint);
  const body = completionObject(head, generated.choices, completionUsage(usage, generation.cost(usage)));
  return { headers: routingHeaders(generation), body };
}

/** Serves one text completion: route, admit, attempt, settle (design.md section 4). Throws `AppError`. */
export async function complete(
  parts: InferenceParts,
  caller: Caller,
  request: CompletionRequest,
  call: InferenceCall,
): Promise<Answer> {
  const { job, candidates } = await admit(parts, caller, request, call);
  try {
    if (request.stream !== true) return await whole(job, candidates);
    const begun = await tryEach(job, candidates, (send) => startStream(attemptStream(send)));
    return { headers: routingHeaders(job.generation), chunks: begun.chunks(job) };
  } catch (error) {
    const problem = error instanceof AppError ? error : null;
    const cancelled = call.signal.aborted;
    await settle(job, {
      status: cancelled ? "cancelled" : "failed",
      httpStatus: problem?.status ?? 500,
      errorCode: problem?.code ?? "INTERNAL_ERROR",
    });
    throw error;
  }
}
