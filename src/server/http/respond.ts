import type { ServerResponse } from "node:http";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";

/** Headers a browser app on another origin may read (interface.md 10.5). */
const exposed = [
  "x-request-id",
  "x-generation-id",
  "x-provider-id",
  "x-provider-slug",
  "x-routing-strategy",
  "x-model-used",
  "x-model-variant",
  "x-fallback-count",
  "x-model-fallback-count",
  "retry-after",
  "x-should-retry",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
].join(", ");

/** On every answer under `/api/v1`: bearer keys only, no cookies, so any origin may call. */
export const apiHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
  "x-content-type-options": "nosniff",
} as const;

const noStore = "no-store";

/** Answers with JSON text. `headers` win over the usual ones. */
export function respondJson(
  res: ServerResponse,
  status: number,
  json: string,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, {
    ...apiHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(json),
    "cache-control": noStore,
    "x-request-id": requestId,
    ...headers,
  });
  res.end(json);
}

/** Answers with the error envelope; destroys the connection when an answer has begun already. */
export function respondError(
  res: ServerResponse,
  error: AppError,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const json = JSON.stringify(errorEnvelope(error, requestId));
  respondJson(res, error.status, json, requestId, { ...headers, ...error.headers });
}
