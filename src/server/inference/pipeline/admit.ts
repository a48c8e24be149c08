import type { Caller } from "#server/access/caller.ts";
import type { Hold } from "#server/billing/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import type { Needs } from "#server/policy/index.ts";
import { Generation } from "./generation.ts";
import type { Operation, Part } from "./operation.ts";
import { type Target, targetsOf } from "./own-credentials.ts";
import { costBound, makePlan, shortenings } from "./plan.ts";
import type { Demand, InferenceRequest } from "./request.ts";
import type { InferenceCall, InferenceParts, Job } from "./request-context.ts";

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
    parts.router(),
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
 * Holds what a request may cost. An answer whose length the client leaves open is as long as there is credit at hand
 * for: as long as is right, or half, or a quarter of it and so on.
 */
async function reserve(
  billing: InferenceParts["billing"],
  exchangeRate: ExchangeRate,
  { orgId, budgets }: KeyCaller,
  candidates: readonly Target[],
  wanted: Demand,
): Promise<{ readonly demand: Demand; readonly hold: Hold }> {
  const boundOf = (demand: Demand) => costBound({ candidates }, demand, exchangeRate);
  const demands = shortenings(wanted);
  const shortest = demands.at(-1) ?? wanted;
  const least = boundOf(shortest);
  const most = shortest === wanted ? least : boundOf(wanted);
  const hold = await billing.hold(orgId, most, { least, budgets });
  if (hold.amount >= most) return { demand: wanted, hold };
  const demand = demands.find((one) => boundOf(one) <= hold.amount) ?? shortest;
  hold.reduce(boundOf(demand));
  return { demand, hold };
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
  const { demand: wanted, session, plan } = planFor(parts, key, operation, request);
  const candidates = targetsOf(plan.candidates, parts.credentials, key);
  const { exchangeRate } = parts.catalogue();
  const generation = new Generation(key, operation, request, call, plan, exchangeRate);
  const { demand, hold } = await reserve(parts.billing, exchangeRate, key, candidates, wanted);
  try {
    await parts.billing.admit(generation.row({ status: "interrupted", httpStatus: 500 }));
  } catch (error) {
    hold.release(0n);
    throw new AppError("SERVICE_UNAVAILABLE", "Requests cannot be recorded at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
  const deadlineMs = clock.monotonicMs() + (call.totalTimeoutMs ?? limits.upstream.totalTimeoutMs);
  return { parts, call, operation, request, demand, candidates, generation, hold, session, deadlineMs };
}
