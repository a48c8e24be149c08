import type { Caller } from "#server/access/caller.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Needs } from "#server/policy/index.ts";
import { tagValuesOf } from "#server/tags/index.ts";
import { Generation } from "./generation.ts";
import type { Chunk, Operation } from "./operation.ts";
import { targetsOf } from "./own-credentials.ts";
import { makePlan } from "./plan.ts";
import { endUserOf, type InferenceRequest, type RequestEstimate } from "./request.ts";
import type { InferenceCall, InferenceDeps, RequestContext } from "./request-context.ts";
import { countersFor, reserve } from "./reserve.ts";

export type KeyCaller = Extract<Caller, { kind: "key" }>;

export const asKey = (caller: Caller): KeyCaller => {
  if (caller.kind === "key") return caller;
  throw new AppError("FORBIDDEN", "Inference needs an API key");
};

/** The values of a request for the tags of its organisation; undefined without any. */
function tagsOf(
  { tags }: InferenceDeps,
  { orgId }: KeyCaller,
  request: InferenceRequest,
  { appTitle: app }: InferenceCall,
): ReturnType<typeof tagValuesOf> {
  const names = tags().get(orgId);
  if (names === undefined) return undefined;
  return tagValuesOf(names, { endUser: endUserOf(request), app, metadata: request.metadata });
}

/** A session stays with the endpoint that served it, separately for each model and organisation. */
function sessionOf({ orgId }: Caller, request: InferenceRequest): string | null {
  const { session_id: session, prompt_cache_key: cacheKey, model, models } = request;
  const id = session || cacheKey;
  return id ? `${orgId} ${model ?? models?.join() ?? ""} ${id}` : null;
}

/** The part of an estimate that the router needs. */
export const needsOf = ({
  promptTokensMin,
  maxTokens,
  parameters,
  media,
  outputModalities,
}: RequestEstimate): Needs => ({
  promptTokens: promptTokensMin,
  maxTokens,
  parameters,
  inputModalities: media?.modalities,
  outputModalities,
});

/** Routes a request without contacting anybody. Throws like `makePlan`. */
export function planFor<Request extends InferenceRequest, C extends Chunk, Complete>(
  deps: Pick<InferenceDeps, "router" | "sessions">,
  key: KeyCaller,
  operation: Operation<Request, C, Complete>,
  request: Request,
) {
  const estimate = operation.estimate(request);
  const nowMs = clock.nowMs();
  const session = sessionOf(key, request);
  const plan = makePlan(
    deps.router(key.orgId),
    request,
    {
      subject: { orgId: key.orgId, userId: key.userId, workspaceId: key.workspaceId, keyId: key.keyId },
      apis: estimate.apis,
      today: isoDay(nowMs),
      needs: needsOf(estimate),
      sessionEndpoint: session === null ? undefined : deps.sessions.endpointOf(session),
    },
    key.allowedModels,
    { notInChat: estimate.notInChat, fieldNames: operation.fieldNames?.(request) },
  );
  return { estimate, session, plan, nowMs };
}

/**
 * Routes a request, reserves the money and records the admission, before any provider is called. Throws like
 * `makePlan` and the hold, and SERVICE_UNAVAILABLE if nothing can be recorded.
 */
export async function admit<Request extends InferenceRequest, C extends Chunk, Complete>(
  deps: InferenceDeps,
  caller: Caller,
  operation: Operation<Request, C, Complete>,
  request: Request,
  call: InferenceCall,
): Promise<RequestContext<Request, C, Complete>> {
  const key = asKey(caller);
  const { estimate: wanted, session, plan, nowMs } = planFor(deps, key, operation, request);
  const candidates = targetsOf(plan.candidates, deps.credentials, key);
  const { exchangeRate } = deps.catalogue(key.orgId);
  const generation = new Generation(
    key,
    operation,
    request,
    call,
    plan,
    exchangeRate,
    operation.fieldNames?.(request),
    deps.billing.lacksBasis,
    nowMs,
  );
  const tags = tagsOf(deps, key, request, call);
  generation.tagged(tags);
  const counters = countersFor(deps.budgets, key, request, candidates, tags, generation.startedMs);
  const { estimate, hold, held } = await reserve(
    deps.billing,
    exchangeRate,
    key,
    candidates,
    wanted,
    counters,
  );
  if (held.length > 0) generation.counts(counters, held);
  try {
    await deps.billing.admit(generation.admission());
  } catch (error) {
    hold.release(null);
    throw new AppError("SERVICE_UNAVAILABLE", "Requests cannot be recorded at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
  const deadlineMs = clock.monotonicMs() + (call.totalTimeoutMs ?? limits.upstream.totalTimeoutMs);
  return { deps, call, operation, request, estimate, candidates, generation, hold, session, deadlineMs };
}
