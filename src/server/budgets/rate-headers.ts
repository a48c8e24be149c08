import type { CounterPlace } from "./indexed-budget.ts";

/** Seconds until a moment, rounded up, at least one; null without one. */
export const secondsUntil = (endsAtMs: number | null, nowMs: number): number | null =>
  endsAtMs === null ? null : Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000));

/**
 * The `x-ratelimit-*` headers of a counter of tokens or requests, with names and form as in OpenAI's API
 * (https://platform.openai.com/docs/guides/rate-limits); none for others.
 */
export function counterHeaders(
  { budget: { measure, limit }, span }: CounterPlace,
  left: bigint,
  nowMs: number,
): Record<string, string> {
  if (measure !== "tokens" && measure !== "requests") return {};
  const seconds = secondsUntil(span.endsAtMs, nowMs);
  return {
    [`x-ratelimit-limit-${measure}`]: String(limit),
    [`x-ratelimit-remaining-${measure}`]: String(left < 0n ? 0n : left),
    ...(seconds !== null && { [`x-ratelimit-reset-${measure}`]: `${seconds}s` }),
  };
}

/** What a counter had left after a request was admitted. */
export interface CounterState {
  readonly counter: CounterPlace;
  readonly left: bigint;
}

/** The headers of the limit with the least left, for tokens and for requests. */
export function nearestHeaders(states: readonly CounterState[], nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const measure of ["tokens", "requests"] as const) {
    let nearest: CounterState | undefined;
    for (const state of states)
      if (state.counter.budget.measure === measure && (!nearest || state.left < nearest.left))
        nearest = state;
    if (nearest) Object.assign(headers, counterHeaders(nearest.counter, nearest.left, nowMs));
  }
  return headers;
}
