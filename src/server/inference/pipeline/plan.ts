import { noEligibleProvider } from "#contract/errors.ts";
import type { Exclusion } from "#contract/exclusion.ts";
import { type Api, carriersOf } from "#contract/inference-operations.ts";
import { modalityMessage, refusalMessage } from "#contract/refusal-message.ts";
import { costUpperBound } from "#server/billing/index.ts";
import { notFoundMessage } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { ExchangeRate, Pico } from "#server/platform/money.ts";
import {
  type Decision,
  exclusionsOf,
  type Needs,
  type RouteContext,
  type Routed,
  type Router,
} from "#server/policy/index.ts";
import type { FieldNames } from "../parameters/changes.ts";
import { isPaidByOrganisation, type Target } from "./own-credentials.ts";
import type { InferenceRequest, NotInChat, RequestEstimate } from "./request.ts";
import { tokenBounds } from "./token-limits.ts";

export interface Plan extends Pick<Needs, "inputModalities" | "outputModalities"> {
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

/** Fields of requests by the names of what their values require. */
const fieldOf: Readonly<Record<string, string>> = {
  json_object: "response_format",
  structured_outputs: "response_format",
  forced_tool_choice: "tool_choice",
};

const isName = (name: unknown): name is string => typeof name === "string";

/** Some endpoint would serve but for these fields. */
function unsupportedFields(
  wanted: unknown,
  names: FieldNames,
  headers: Record<string, string>,
  excluded: readonly Exclusion[],
) {
  const asked = Array.isArray(wanted) ? wanted.filter(isName).map((name) => fieldOf[name] ?? name) : [];
  const fields = [...new Set(asked.map((name) => names[name] ?? name))];
  const message = `${fields.join(", ")}: no provider that may serve this model supports ${fields.length > 1 ? "them" : "it"}`;
  return new AppError("BAD_REQUEST", message, {
    param: fields[0] ?? null,
    headers,
    metadata: { error_type: "unsupported_parameter", parameters: fields, excluded },
  });
}

/** Whether an endpoint would serve if chat, or what stands for it, supported the request. */
const chatWould = ({ excluded }: Decision): boolean =>
  excluded.some(
    ({ endpoint, refusals }) =>
      (endpoint.apis.has("chat") || endpoint.apis.has("responses")) &&
      refusals.every(({ field }) => field === "wrong_endpoint"),
  );

/** Why no endpoint is eligible, in OpenRouter's words. Chat could carry other text requests. */
function availabilityCode(decisions: readonly Decision[], apis: readonly Api[]): string {
  const excluded = decisions.flatMap((decision) => decision.excluded);
  if (excluded.length === 0) return "no_endpoints";
  const forText = apis.some((api) => api !== "chat" && carriersOf(api).includes("chat"));
  const wrong = excluded.every(
    ({ endpoint, refusals }) =>
      refusals.some(({ field }) => field === "wrong_endpoint") && !(forText && endpoint.apis.has("chat")),
  );
  return wrong ? "wrong_endpoint" : "constraint_filtered";
}

/** What errors need of a request besides its estimate. */
interface Described {
  readonly notInChat?: NotInChat | undefined;
  readonly fieldNames?: FieldNames | undefined;
}

function nothingLeft(
  router: Router,
  { models, decisions }: Pick<Routed, "models" | "decisions">,
  apis: readonly Api[],
  { notInChat, fieldNames = {} }: Described,
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
  const missing = excluded.find(({ refusals }) => refusals.every(({ field }) => field === "parameters"));
  if (missing) return unsupportedFields(missing.wanted, fieldNames, ruleHeader(decisions[0]), excluded);
  if (notInChat && decisions.some(chatWould)) {
    const { param, repair } = notInChat;
    const message = `${param}: the providers that may serve this are reached by chat only; ${repair}`;
    return new AppError("BAD_REQUEST", message, {
      param,
      headers: ruleHeader(decisions[0]),
      metadata: { excluded },
    });
  }
  const lacking = modalityMessage(excluded);
  const words = [...new Set(excluded.map(({ excluded_by }) => excluded_by))];
  return new AppError(
    lacking === null ? "SERVICE_UNAVAILABLE" : "NOT_FOUND",
    lacking ?? refusalMessage(excluded),
    {
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
    },
  );
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
 * NOT_FOUND, FORBIDDEN, BAD_REQUEST for what the request can correct, or SERVICE_UNAVAILABLE with all reasons. If no
 * model supports the request's modalities, that is NOT_FOUND with all reasons.
 */
export function makePlan(
  router: Router,
  request: InferenceRequest,
  context: RouteContext,
  allowed: ReadonlySet<string> | null,
  described: Described = {},
): Plan {
  const routed = router.route(request, context);
  const { decisions, candidates } = routed;
  if (allowed) assertModelsAllowed(decisions, allowed);
  if (candidates.length === 0) throw nothingLeft(router, routed, context.apis, described);
  return {
    candidates: candidates.slice(0, limits.upstream.attemptsMax),
    decisions,
    inputModalities: context.needs?.inputModalities,
    outputModalities: context.needs?.outputModalities,
  };
}

/** The maximum cost of this request at any of its candidates, in pico-EUR; zero where the organisation pays itself. */
export function costBound(
  plan: Pick<Plan, "candidates">,
  estimate: RequestEstimate,
  exchangeRate: ExchangeRate,
): Pico {
  let bound = 0n;
  for (const target of plan.candidates) {
    const { endpoint } = target;
    if (!endpoint.price || isPaidByOrganisation(target)) continue;
    const cost = costUpperBound(
      { ...tokenBounds(estimate, target), searchUnits: estimate.searchUnits },
      endpoint.price,
      exchangeRate,
    );
    if (cost > bound) bound = cost;
  }
  return bound;
}
