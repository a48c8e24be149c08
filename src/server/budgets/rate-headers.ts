import type { CounterPlace } from "./indexed-budget.ts";

/** Seconds until a moment, rounded up, at least one; null without one. */
export const secondsUntil = (endsAtMs: number | null, nowMs: number): number | null =>
  endsAtMs === null ? null : Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000));

type Headers = Record<string, string>;

/**
 * Adds the headers of a limit, with names and form as in OpenAI's API
 * (https://platform.openai.com/docs/guides/rate-limits). Written out, because computed names take longer than the rest.
 */
const adders = {
  tokens(headers: Headers, limit: string, remaining: string, reset: string | null): void {
    headers["x-ratelimit-limit-tokens"] = limit;
    headers["x-ratelimit-remaining-tokens"] = remaining;
    if (reset !== null) headers["x-ratelimit-reset-tokens"] = reset;
  },
  requests(headers: Headers, limit: string, remaining: string, reset: string | null): void {
    headers["x-ratelimit-limit-requests"] = limit;
    headers["x-ratelimit-remaining-requests"] = remaining;
    if (reset !== null) headers["x-ratelimit-reset-requests"] = reset;
  },
};

/** Adds the headers of a counter that has so much left, if it counts tokens or requests. */
function addHeaders(headers: Headers, counter: CounterPlace, left: bigint, nowMs: number): void {
  const { measure } = counter.budget;
  if (measure !== "tokens" && measure !== "requests") return;
  const seconds = secondsUntil(counter.span.endsAtMs, nowMs);
  const remaining = left < 0n ? "0" : left.toString();
  adders[measure](headers, counter.limitText, remaining, seconds === null ? null : `${seconds}s`);
}

/** The `x-ratelimit-*` headers of a counter of tokens or requests; none for others. */
export function counterHeaders(counter: CounterPlace, left: bigint, nowMs: number): Readonly<Headers> {
  const headers: Headers = {};
  addHeaders(headers, counter, left, nowMs);
  return headers;
}

/** What is left of a counter. */
interface Left {
  readonly left: bigint;
}

const measures = ["tokens", "requests"] as const;

/** The position of the counter of one measure with the least left; -1 without one. */
function nearestOf(
  counters: readonly CounterPlace[],
  held: readonly Left[],
  measure: (typeof measures)[number],
): number {
  let nearest = -1;
  for (let at = 0; at < held.length; at++) {
    if (counters[at]?.budget.measure !== measure) continue;
    if (nearest < 0 || (held[at] as Left).left < (held[nearest] as Left).left) nearest = at;
  }
  return nearest;
}

/**
 * Adds the headers of the limits with the least left, for tokens and for requests, to those of an answer. `held` is
 * what counters have left.
 */
export function addNearestHeaders(
  headers: Headers,
  counters: readonly CounterPlace[],
  held: readonly Left[],
  nowMs: number,
): void {
  for (const measure of measures) {
    const at = nearestOf(counters, held, measure);
    const counter = counters[at];
    const hold = held[at];
    if (counter && hold) addHeaders(headers, counter, hold.left, nowMs);
  }
}
