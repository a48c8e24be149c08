import { noEligibleProvider } from "#contract/errors.ts";
import type { Exclusion } from "#contract/exclusion.ts";
import type { Api } from "#contract/inference-operations.ts";
import { refusalMessage } from "#contract/refusal-message.ts";
import { costUpperBound } from "#server/billing/index.ts";
import { type Endpoint, notFoundMessage } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { ExchangeRate, Pico } from "#server/platform/money.ts";
import {
  type Decision,
  exclusionsOf,
  type RouteContext,
  type Routed,
  type Router,
} from "#server/policy/index.ts";
import type { UsageBounds } from "./billed-usage.ts";
import type { Target } from "./own-credentials.ts";
import type { InferenceRequest, NotInChat, RequestEstimate } from "./request.ts";
import {
  bytesPerToken,
  hostedToolRounds,
  mediaTokens,
  mediaWindowTokens,
  openTokensMin,
  promptMarginTokens,
} from "./token-bounds.ts";

export interface Plan {
  readonly candidates: readonly Target[];
  readonly decisions: readonly Decision[];
}

/** The header that names the last rule that applied. */
export function ruleHeader(decision: Decision | undefined): Record<string, string> {
  const rule = decision?.rules.at(-1);
  return rule ? { "x-routing-rule-id": rule.id } : {};
}

/** What a shorter request would solve, in OpenRouter's words. */
const sizes: Readonly<Record<string, { readonly errorType: string; readonly param: string }>> = {
  context_length: { errorType: "context_length_exceeded", param: "model" },
  max_tokens: { errorType: "max_tokens_exceeded", param: "max_tokens" },
};

/** Some endpoint would serve but for the size of the request: that is the request's fault. */
function tooLarge(size: Exclusion, decisions: readonly Decision[], excluded: readonly Exclusion[]): AppError {
  const { errorType, param } = sizes[size.field] ?? { errorType: "token_limit_exceeded", param: null };
  const message =
    size.field === "max_tokens"
      ? `max_tokens: ${size.wanted} is more than the ${size.actual} tokens left for the answer`
      : `The prompt is longer than the context window of ${size.actual} tokens`;
  return new AppError("BAD_REQUEST", message, {
    param,
    headers: ruleHeader(decisions[0]),
    metadata: { error_type: errorType, excluded },
  });
}

/** Whether an endpoint would serve if chat supported the request. */
const chatWould = ({ excluded }: Decision): boolean =>
  excluded.some(
    ({ endpoint, refusals }) =>
      endpoint.apis.has("chat") && refusals.every(({ field }) => field === "wrong_endpoint"),
  );

/** Why no endpoint is eligible, in OpenRouter's words. Chat could carry other text requests. */
function availabilityCode(decisions: readonly Decision[], apis: readonly Api[]): string {
  const excluded = decisions.flatMap((decision) => decision.excluded);
  if (excluded.length === 0) return "no_endpoints";
  const forText = apis.includes("responses") || apis.includes("completions");
  const wrong = excluded.every(
    ({ endpoint, refusals }) =>
      refusals.some(({ field }) => field === "wrong_endpoint") && !(forText && endpoint.apis.has("chat")),
  );
  return wrong ? "wrong_endpoint" : "constraint_filtered";
}

function nothingLeft(
  router: Router,
  { models, decisions }: Pick<Routed, "models" | "decisions">,
  apis: readonly Api[],
  notInChat: NotInChat | undefined,
): AppError {
  if (decisions.length === 0) {
    return new AppError("NOT_FOUND", notFoundMessage(models, router.nameMeant), {
      param: "model",
      metadata: { availability: { code: "model_not_found", retryable: false, requested_models: models } },
    });
  }
  const excluded = decisions.flatMap((decision) => exclusionsOf(decision.excluded));
  const size = excluded.find(({ refusals }) => refusals.every(({ field }) => field in sizes));
  if (size) return tooLarge(size, decisions, excluded);
  if (notInChat && decisions.some(chatWould)) {
    const { param, repair } = notInChat;
    const message = `${param}: the providers that may serve this are reached by chat only; ${repair}`;
    return new AppError("BAD_REQUEST", message, {
      param,
      headers: ruleHeader(decisions[0]),
      metadata: { excluded },
    });
  }
  const words = [...new Set(excluded.map(({ excluded_by }) => excluded_by))];
  return new AppError("SERVICE_UNAVAILABLE", refusalMessage(excluded), {
    headers: { "x-should-retry": "false", ...ruleHeader(decisions[0]) },
    metadata: {
      // Not the type of an overload: waiting changes nothing.
      error_type: noEligibleProvider,
      availability: {
        code: availabilityCode(decisions, apis),
        retryable: false,
        requested_models: models,
        excluded_by: words,
      },
      excluded,
    },
  });
}

/** Refuses a request if its key may not use one of the models, including fallbacks. */
function assertModelsAllowed(decisions: readonly Decision[], allowed: ReadonlySet<string>): void {
  const refused = decisions.find(({ model, requested }) => !allowed.has(model) && !allowed.has(requested));
  if (!refused) return;
  throw new AppError("FORBIDDEN", `This API key may not use the model \`${refused.requested}\``, {
    param: "model",
    metadata: { model: refused.model, allowed_models: [...allowed] },
  });
}

/**
 * Ranks endpoints for every requested model; `allowed` are the models the key may use (null = every one). Throws
 * NOT_FOUND, FORBIDDEN, BAD_REQUEST for what the request can correct, or SERVICE_UNAVAILABLE with all reasons.
 */
export function makePlan(
  router: Router,
  request: InferenceRequest,
  context: RouteContext,
  allowed: ReadonlySet<string> | null,
  notInChat?: NotInChat,
): Plan {
  const routed = router.route(request, context);
  const { decisions, candidates } = routed;
  if (allowed) assertModelsAllowed(decisions, allowed);
  if (candidates.length === 0) throw nothingLeft(router, routed, context.apis, notInChat);
  return { candidates: candidates.slice(0, limits.upstream.attemptsMax), decisions };
}

/**
 * The `max_tokens` sent to an endpoint: the requested value, else the usual one or the room that is left; if more
 * than the minimum, at most half of that room, because a prompt may have more tokens than estimated.
 */
export function maxTokensFor(
  {
    maxTokens,
    openTokens = openTokensMin,
    promptTokensMin,
    promptTokensMax,
    promptTokensEach = promptTokensMax,
    media,
  }: RequestEstimate,
  { contextLength, maxOutputTokens }: Pick<Endpoint, "contextLength" | "maxOutputTokens">,
): number {
  const ceiling = maxOutputTokens ?? Number.MAX_SAFE_INTEGER;
  if (maxTokens !== null) return Math.min(maxTokens, ceiling);
  // The bound counts bytes; as tokens they would leave a long prompt no room for its answer.
  const prompt = Math.max(
    promptTokensMin,
    Math.ceil((promptTokensEach + (media?.parts ?? 0) * mediaTokens) / bytesPerToken),
  );
  const room = contextLength === null ? openTokensMin : Math.max(1, contextLength - prompt);
  const half = Math.floor(room / 2);
  return Math.min(Math.max(Math.min(openTokensMin, room), Math.min(openTokens, half)), ceiling);
}

/** The maximum of prompt and completion tokens of a request. */
export interface TokenBounds {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The maximum usage of a request at an endpoint: this much is held, and estimates never exceed it. */
export const tokenBounds = (estimate: RequestEstimate, endpoint: Endpoint): TokenBounds => ({
  promptTokens:
    estimate.promptTokensMax +
    Math.min(estimate.media?.tokensMax ?? 0, endpoint.contextLength ?? mediaWindowTokens),
  completionTokens: estimate.answers === 0 ? 0 : maxTokensFor(estimate, endpoint) * estimate.answers,
});

/** Reported usage beyond this is not accepted; prompts that providers add themselves are allowed for. */
export function usageBounds(estimate: RequestEstimate, endpoint: Endpoint): UsageBounds {
  const { promptTokens, completionTokens } = tokenBounds(estimate, endpoint);
  const added = estimate.hostedTools
    ? hostedToolRounds * (endpoint.contextLength ?? mediaWindowTokens)
    : promptMarginTokens;
  return {
    promptTokens: promptTokens + added,
    reservedPromptTokens: promptTokens,
    completionTokens,
    searchUnits: estimate.searchUnits,
  };
}

/** The maximum cost of this request at any of its candidates, in pico-EUR; zero with own credentials. */
export function costBound(
  plan: Pick<Plan, "candidates">,
  estimate: RequestEstimate,
  exchangeRate: ExchangeRate,
): Pico {
  let bound = 0n;
  for (const { endpoint, own } of plan.candidates) {
    if (!endpoint.price || own) continue;
    const cost = costUpperBound(
      { ...tokenBounds(estimate, endpoint), searchUnits: estimate.searchUnits },
      endpoint.price,
      exchangeRate,
    );
    if (cost > bound) bound = cost;
  }
  return bound;
}

/**
 * The same estimate with shorter and shorter answers, if the client does not limit them: halved down to the minimum.
 * Begins with the estimate itself.
 */
export function shortenings(estimate: RequestEstimate): readonly RequestEstimate[] {
  const { maxTokens, openTokens = openTokensMin } = estimate;
  if (maxTokens !== null || openTokens <= openTokensMin) return [estimate];
  return [estimate, ...shortenings({ ...estimate, openTokens: Math.max(openTokensMin, openTokens / 2) })];
}
