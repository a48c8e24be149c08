import type { CompletionRequest, RoutedRequest } from "#contract/completions.ts";
import { costUpperBound } from "#server/billing/index.ts";
import type { Catalogue, Endpoint } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Pico } from "#server/platform/money.ts";
import {
  type Candidate,
  type Decision,
  exclusionsOf,
  type Needs,
  type RouteContext,
  type Router,
} from "#server/policy/index.ts";

export interface Plan {
  readonly candidates: readonly Candidate[];
  readonly decisions: readonly Decision[];
}

/** Tells which rule had the last word (interface.md 1.4). */
export function ruleHeader(decision: Decision | undefined): Record<string, string> {
  const rule = decision?.rules.at(-1);
  return rule ? { "x-routing-rule-id": rule.id } : {};
}

function nothingLeft(models: readonly string[], decisions: readonly Decision[]): AppError {
  if (decisions.length === 0) {
    const list = models.map((model) => `\`${model}\``).join(", ");
    return new AppError("NOT_FOUND", `Model not found: ${list}. GET /api/v1/providers lists what there is`, {
      param: "model",
      metadata: { availability: { code: "model_not_found", retryable: false, requested_models: models } },
    });
  }
  const excluded = decisions.flatMap(({ dropped }) => exclusionsOf(dropped));
  const words = [...new Set(excluded.map(({ excluded_by }) => excluded_by))];
  return new AppError("SERVICE_UNAVAILABLE", `No provider may serve this request: ${words.join(", ")}`, {
    headers: { "x-should-retry": "false", ...ruleHeader(decisions[0]) },
    metadata: {
      availability: {
        code: "constraint_filtered",
        retryable: false,
        requested_models: models,
        excluded_by: words,
      },
      excluded,
    },
  });
}

/** Refuses a request as a whole when its key may not use one of the models, fallbacks included. */
function demandModels(decisions: readonly Decision[], allowed: ReadonlySet<string>): void {
  const refused = decisions.find(({ model, requested }) => !allowed.has(model) && !allowed.has(requested));
  if (!refused) return;
  throw new AppError("FORBIDDEN", `This API key may not use the model \`${refused.requested}\``, {
    param: "model",
    metadata: { model: refused.model, allowed_models: [...allowed] },
  });
}

/**
 * Ranks endpoints for every requested model; `allowed` are the models the key may use (null = every one).
 * Throws NOT_FOUND, FORBIDDEN, or SERVICE_UNAVAILABLE with all reasons.
 */
export function makePlan(
  router: Router,
  request: RoutedRequest,
  context: RouteContext,
  allowed: ReadonlySet<string> | null,
): Plan {
  const { models, decisions, candidates } = router.route(request, context);
  if (allowed) demandModels(decisions, allowed);
  if (candidates.length === 0) throw nothingLeft(models, decisions);
  return { candidates: candidates.slice(0, limits.upstream.attemptsMax), decisions };
}

const defaultMaxTokens = 4096;

/**
 * The `max_tokens` sent to an endpoint: what was asked, else 4,096 or the room that is left, because some
 * providers reserve their whole window when none is given (interface.md 9.2).
 */
export function maxTokensFor(
  request: CompletionRequest,
  { contextLength, maxOutputTokens }: Endpoint,
  promptTokens: number,
): number {
  const ceiling = maxOutputTokens ?? Number.MAX_SAFE_INTEGER;
  if (request.max_tokens != null) return Math.min(request.max_tokens, ceiling);
  const room = contextLength === null ? defaultMaxTokens : Math.max(1, contextLength - promptTokens);
  return Math.min(defaultMaxTokens, room, ceiling);
}

const templateTokens = 64;

/** More tokens than this the prompt cannot have: a token is at least one byte, or one number of a token array. */
export function promptTokensMax({ prompt }: CompletionRequest): number {
  if (typeof prompt === "string") return Buffer.byteLength(prompt) + templateTokens;
  let tokens = templateTokens * prompt.length;
  for (const part of prompt) {
    tokens += typeof part === "string" ? Buffer.byteLength(part) : typeof part === "number" ? 1 : part.length;
  }
  return tokens;
}

const bytesPerTokenMax = 6;

/** Fewer tokens than this a prompt hardly has: what cannot fit is not sent, what may fit is tried. */
function promptTokensMin({ prompt }: CompletionRequest): number {
  const parts = typeof prompt === "string" ? [prompt] : prompt;
  if (typeof parts[0] === "number") return parts.length;
  // Several prompts have a window each.
  let longest = 0;
  for (const part of parts) {
    if (typeof part === "number") continue;
    const tokens = typeof part === "string" ? Buffer.byteLength(part) / bytesPerTokenMax : part.length;
    longest = Math.max(longest, tokens);
  }
  return Math.floor(longest);
}

/** Parameters an endpoint may or may not take; all endpoints take the others. */
const optionalParameters = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "seed",
  "stop",
  "logit_bias",
  "logprobs",
  "top_logprobs",
] as const satisfies readonly (keyof CompletionRequest)[];

/** What a completion needs of an endpoint, as the router asks for it. */
export const needsOf = (request: CompletionRequest): Needs => ({
  promptTokens: promptTokensMin(request),
  maxTokens: request.max_tokens ?? null,
  parameters: optionalParameters.filter((name) => request[name] != null),
});

const promptCount = ({ prompt }: CompletionRequest): number =>
  typeof prompt === "string" || typeof prompt[0] === "number" ? 1 : prompt.length;

/** The most this request can cost at any of its candidates, in pico-EUR. */
export function costBound(plan: Plan, request: CompletionRequest, catalogue: Catalogue): Pico {
  const promptTokens = promptTokensMax(request);
  const choices = Math.max(request.n ?? 1, request.best_of ?? 1) * promptCount(request);
  let bound = 0n;
  for (const { endpoint } of plan.candidates) {
    if (!endpoint.price) continue;
    const completionTokens = maxTokensFor(request, endpoint, promptTokens) * choices;
    const cost = costUpperBound(
      { promptTokens, completionTokens, searchUnits: 0 },
      endpoint.price,
      catalogue.exchangeRate,
    );
    if (cost > bound) bound = cost;
  }
  return bound;
}
