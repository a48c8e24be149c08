import type { ServerResponse } from "node:http";
import type { RateState } from "#server/auth/rate-account.ts";
import { rateHeaders } from "#server/auth/rate-limits.ts";
import { RequestAttachment } from "./request-attachment.ts";

/** The rate limit state of a request until its response starts. Headers set earlier would make `writeHead` slower. */
const rates = new RequestAttachment<ServerResponse, RateState>();

export function setRateState(res: ServerResponse, state: RateState | null): void {
  if (state) rates.set(res, state);
}

/** The `X-RateLimit-*` headers of a response; none when no limit applied. */
export function rateHeadersOf(res: ServerResponse): Record<string, string> {
  const state = rates.of(res);
  return state ? rateHeaders(state) : {};
}
