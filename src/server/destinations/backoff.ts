import type { Random } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";

const { retryFirstMs, retryMaxMs, retryAfterMaxMs, jitter, restAfterFailures, pauseAfterFailures, pauseMs } =
  limits.destinations;

/** Spread evenly over ±20 %, so that simultaneous failures are not retried simultaneously. */
const spread = (ms: number, random: Random): number => Math.round(ms * (1 - jitter + 2 * jitter * random()));

/** 5 s, 10 s, 20 s … 30 min; never before the destination's Retry-After. */
export function retryDelayMs(attempts: number, retryAfterMs: number | null, random: Random): number {
  const ms = spread(Math.min(retryMaxMs, retryFirstMs * 2 ** Math.min(attempts - 1, 20)), random);
  return Math.max(ms, Math.min(retryAfterMs ?? 0, retryAfterMaxMs));
}

/** How long a destination is paused after this many failures in a row; 0 for the first ones. */
export function restMs(failures: number, retryAfterMs: number | null, random: Random): number {
  const asked = Math.min(retryAfterMs ?? 0, retryAfterMaxMs);
  if (failures >= pauseAfterFailures) return Math.max(asked, spread(pauseMs, random));
  if (failures < restAfterFailures) return asked;
  return Math.max(asked, retryDelayMs(failures - restAfterFailures + 1, null, random));
}

/** `Retry-After` in milliseconds: seconds or a date; null if it is absent or invalid. */
export function retryAfterOf(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
