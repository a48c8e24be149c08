import type { CounterPlace } from "./indexed-budget.ts";

/** Seconds until a moment, rounded up, at least one; null without one. */
export const secondsUntil = (endsAtMs: number | null, nowMs: number): number | null =>
  endsAtMs === null ? null : Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000));

type Headers = Readonly<Record<string, string>>;

/**
 * The headers of a limit, with names and form as in OpenAI's API
 * (https://platform.openai.com/docs/guides/rate-limits). Written out, because computed names take longer than the rest.
 */
const headersOf = {
  tokens: (limit: string, remaining: string, reset: string | null): Headers =>
    reset === null
      ? { "x-ratelimit-limit-tokens": limit, "x-ratelimit-remaining-tokens": remaining }
      : {
          "x-ratelimit-limit-tokens": limit,
          "x-ratelimit-remaining-tokens": remaining,
          "x-ratelimit-reset-tokens": reset,
        },
  requests: (limit: string, remaining: string, reset: string | null): Headers =>
    reset === null
      ? { "x-ratelimit-limit-requests": limit, "x-ratelimit-remaining-requests": remaining }
      : {
          "x-ratelimit-limit-requests": limit,
          "x-ratelimit-remaining-requests": remaining,
          "x-ratelimit-reset-requests": reset,
        },
};

const none: Headers = {};

/** The `x-ratelimit-*` headers of a counter of tokens or requests; none for others. */
export function counterHeaders(
  { budget: { measure, limit }, span }: CounterPlace,
  left: bigint,
  nowMs: number,
): Headers {
  if (measure !== "tokens" && measure !== "requests") return none;
  const seconds = secondsUntil(span.endsAtMs, nowMs);
  const reset = seconds === null ? null : `${seconds}s`;
  return headersOf[measure](String(limit), left < 0n ? "0" : String(left), reset);
}

/** What a counter had left after a request was admitted. */
export interface CounterState {
  readonly counter: CounterPlace;
  readonly left: bigint;
}

/** The state with the least left of one measure. */
function nearestOf(states: readonly CounterState[], measure: "tokens" | "requests"): CounterState | null {
  let nearest: CounterState | null = null;
  for (const state of states)
    if (state.counter.budget.measure === measure && (!nearest || state.left < nearest.left)) nearest = state;
  return nearest;
}

/** The headers of the limit with the least left, for tokens and for requests. */
export function nearestHeaders(states: readonly CounterState[], nowMs: number): Headers {
  const [tokens, requests] = [nearestOf(states, "tokens"), nearestOf(states, "requests")];
  const ofTokens = tokens ? counterHeaders(tokens.counter, tokens.left, nowMs) : none;
  if (!requests) return ofTokens;
  const ofRequests = counterHeaders(requests.counter, requests.left, nowMs);
  return tokens ? { ...ofTokens, ...ofRequests } : ofRequests;
}
