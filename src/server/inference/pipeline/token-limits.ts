import type { Endpoint } from "#server/catalog/index.ts";
import type { UsageBounds } from "./billed-usage.ts";
import { isPaidByOrganisation, type Target } from "./own-credentials.ts";
import type { RequestEstimate } from "./request.ts";
import {
  bytesPerToken,
  hostedToolRounds,
  mediaTokens,
  mediaWindowTokens,
  openTokensMax,
  openTokensMin,
  promptMarginTokens,
} from "./token-bounds.ts";

/** An endpoint and who pays for it. */
type Payable = Pick<Target, "endpoint" | "own">;

const isCharged = (target: Payable): boolean =>
  target.endpoint.price !== null && !isPaidByOrganisation(target);

/**
 * The longest answer an endpoint can give by its own limits, in tokens; null if the catalogue knows neither of them.
 * The prompt takes nothing off: its tokens are an estimate, and an answer must not be longer than its hold covers.
 */
function ownLimit({
  contextLength,
  maxOutputTokens,
}: Pick<Endpoint, "contextLength" | "maxOutputTokens">): number | null {
  if (contextLength === null || maxOutputTokens === null) return contextLength ?? maxOutputTokens;
  return Math.min(contextLength, maxOutputTokens);
}

/**
 * A limit of at most `wanted` tokens that the context window has room for. Above the minimum it takes at most half of
 * that room, because a prompt may have more tokens than estimated.
 */
function withinRoom(
  { promptTokensMin, promptTokensMax, promptTokensEach = promptTokensMax, media }: RequestEstimate,
  { contextLength, maxOutputTokens }: Pick<Endpoint, "contextLength" | "maxOutputTokens">,
  wanted: number,
): number {
  // The bound counts bytes; as tokens they would leave a long prompt no room for its answer.
  const prompt = Math.max(
    promptTokensMin,
    Math.ceil((promptTokensEach + (media?.parts ?? 0) * mediaTokens) / bytesPerToken),
  );
  const room = contextLength === null ? wanted : Math.max(1, contextLength - prompt);
  const half = contextLength === null ? wanted : Math.floor(room / 2);
  const tokens = Math.max(Math.min(openTokensMin, room), Math.min(wanted, half));
  return Math.min(tokens, maxOutputTokens ?? tokens);
}

/**
 * The limit of the answer's length that is sent to an endpoint, in tokens. Null, so that the model's own limit applies,
 * unless the client set one, the provider needs one, or the held credit covers less than the model's own limit.
 */
export function tokenLimitFor(estimate: RequestEstimate, target: Payable): number | null {
  const { endpoint } = target;
  const { maxTokens, openTokens, openTokensForAll = false } = estimate;
  if (maxTokens !== null) return Math.min(maxTokens, endpoint.maxOutputTokens ?? maxTokens);
  if (openTokens !== undefined && (openTokensForAll || isCharged(target)))
    return withinRoom(estimate, endpoint, openTokens);
  const own = ownLimit(endpoint);
  const isNeeded = endpoint.provider.tokenLimitRequired || (own === null && isCharged(target));
  return isNeeded ? withinRoom(estimate, endpoint, own ?? openTokensMax) : null;
}

/** The maximum of prompt and completion tokens of a request. */
export interface TokenBounds {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The maximum usage of a request at an endpoint: this much is held, and estimates never exceed it. */
export function tokenBounds(estimate: RequestEstimate, target: Payable): TokenBounds {
  const { endpoint } = target;
  const each = tokenLimitFor(estimate, target) ?? ownLimit(endpoint) ?? mediaWindowTokens;
  return {
    promptTokens:
      estimate.promptTokensMax +
      Math.min(estimate.media?.tokensMax ?? 0, endpoint.contextLength ?? mediaWindowTokens),
    completionTokens: estimate.answers === 0 ? 0 : each * estimate.answers,
  };
}

/** Reported usage beyond this is not accepted; prompts that providers add themselves are allowed for. */
export function usageBounds(estimate: RequestEstimate, target: Payable): UsageBounds {
  const { promptTokens, completionTokens } = tokenBounds(estimate, target);
  const added = estimate.hostedTools
    ? hostedToolRounds * (target.endpoint.contextLength ?? mediaWindowTokens)
    : promptMarginTokens;
  return {
    promptTokens: promptTokens + added,
    reservedPromptTokens: promptTokens,
    completionTokens,
    searchUnits: estimate.searchUnits,
  };
}

/** The same estimate with the shortest answer that a request without a limit is admitted with. */
export const shortest = (estimate: RequestEstimate): RequestEstimate =>
  estimate.maxTokens === null && estimate.answers > 0 ? { ...estimate, openTokens: openTokensMin } : estimate;

/** The same estimate with answers of half the length each time, from half the longest possible one to the shortest. */
export function* shortenings(
  estimate: RequestEstimate,
  candidates: readonly Payable[],
): Generator<RequestEstimate, void, undefined> {
  const longest = Math.max(...candidates.map(({ endpoint }) => ownLimit(endpoint) ?? openTokensMax));
  for (let openTokens = longest / 2; openTokens > openTokensMin; openTokens /= 2)
    yield { ...estimate, openTokens: Math.floor(openTokens) };
  yield shortest(estimate);
}
