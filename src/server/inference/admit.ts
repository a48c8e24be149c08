import type { Caller } from "#server/auth/caller.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Needs } from "#server/policy/index.ts";
import { Generation } from "./generation.ts";
import type { InferenceCall, InferenceParts, Job } from "./job.ts";
import type { Operation, Part } from "./operation.ts";
import { targetsOf } from "./own-credentials.ts";
import { costBound, makePlan } from "./plan.ts";
import type { Demand, InferenceRequest } from "./request.ts";

export type KeyCaller = Extract<Caller, { kind: "key" }>;

export const asKey = (caller: Caller): KeyCaller => {
  if (caller.kind === "key") return caller;
  throw new AppError("FORBIDDEN", "Inference needs an API key");
};

/** A session stays with the endpoint that served it, model by model; sessions of others are other sessions. */
function sessionOf({ orgId }: Caller, request: InferenceRequest): string | null {
  const { session_id: session, prompt_cache_key: cacheKey, model, models } = request;
  const id = session || cacheKey;
  return id ? `${orgId} ${model ?? models?.join() ?? ""} ${id}` : null;
}

/** What a demand needs of an endpoint, as the router asks for it. */
export const needsOf = ({ promptTokensMin, maxTokens, parameters }: Demand): Needs => ({
  promptTokens: promptTokensMin,
  maxTokens,
  parameters,
});

/** Routes a request without asking anybody. Throws what `makePlan` throws. */
export function planFor<Request extends InferenceRequest, P extends Part, Whole>(
  parts: Pick<InferenceParts, "router" | "sessions">,
  key: KeyCaller,
  operation: Operation<Request, P, Whole>,
  request: Request,
) {
  const demand = operation.demand(request);
  const session = sessionOf(key, request);
  const plan = makePlan(
    parts.router,
    request,
    {
      subject: { orgId: key.orgId, userId: key.userId, workspaceId: key.workspaceId, keyId: key.keyId },
      apis: demand.apis,
      today: isoDay(clock.nowMs()),
      needs: needsOf(demand),
      sessionEndpoint: session === null ? undefined : parts.sessions.endpointOf(session),
    },
    key.allowedModels,
    demand.notInChat,
  );
  return { demand, session, plan };
}

/**
 * Routes a request, reserves the money and writes the admission down, before any provider is asked.
 * Throws what `makePlan` and the hold throw, and SERVICE_UNAVAILABLE when nothing can be recorded.
 */
export async function admit<Request extends InferenceRequest, P extends Part, Whole>(
  parts: InferenceParts,
  caller: Caller,
  operation: Operation<Request, P, Whole>,
  request: Request,
  call: InferenceCall,
): Promise<Job<Request, P, Whole>> {
  const key = asKey(caller);
  const { demand, session, plan } = planFor(parts, key, operation, request);
  const candidates = targetsOf(plan.candidates, parts.credentials, key);
  const generation = new Generation(key, operation, request, call, plan, parts.catalogue.exchangeRate);
  const hold = await parts.billing.hold(
    key.orgId,
    costBound({ candidates }, demand, parts.catalogue),
    key.budgets,
  );
  try {
    await parts.billing.admit(generation.row({ status: "interrupted", httpStatus: 500 }));
  } catch (error) {
    hold.settle(0n);
    throw new AppError("SERVICE_UNAVAILABLE", "Requests cannot be recorded at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
  const deadlineMs = clock.monotonicMs() + (call.totalTimeoutMs ?? limits.upstream.totalTimeoutMs);
  return { parts, call, operation, request, demand, candidates, generation, hold, session, deadlineMs };
}
