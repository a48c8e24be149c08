import type { ServerResponse } from "node:http";
import type { RateState } from "#server/auth/rate-account.ts";
import { rateHeaders } from "#server/auth/rate-limits.ts";
import { Note } from "./request-attachment.ts";

/** What was counted for a request, until its answer begins: headers set earlier would cost `writeHead` its short way. */
const rates = new Note<ServerResponse, RateState>();

export function noteRate(res: ServerResponse, state: RateState | null): void {
  if (state) rates.set(res, state);
}

/** The `X-RateLimit-*` of an answer; none when nothing was counted. */
export function notedRate(res: ServerResponse): Record<string, string> {
  const state = rates.of(res);
  return state ? rateHeaders(state) : {};
}
