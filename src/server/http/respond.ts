import type { ServerResponse } from "node:http";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";

/** Headers a browser app on another origin may read (interface.md 10.5). */
const exposed = [
  "x-request-id",
  "x-generation-id",
  "x-provider-id",
  "x-provider-slug",
  "x-routing-strategy",
  "x-routing-rule-id",
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

/** Headers that never differ, as the flat list `writeHead` takes without a walk over objects. */
const usual = [
  ...Object.entries(apiHeaders).flat(),
  "content-type",
  "application/json; charset=utf-8",
  "cache-control",
  "no-store",
];

/** Answers with JSON text. `headers` are added to the usual ones. */
export function respondJson(
  res: ServerResponse,
  status: number,
  json: string,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const list = [...usual, "x-request-id", requestId, "content-length", String(Buffer.byteLength(json))];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? "");
  res.writeHead(status, list);
  res.end(json);
}

/** Answers with an empty 302. */
export function respondRedirect(res: ServerResponse, location: string, requestId: string): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(302, {
    ...apiHeaders,
    location,
    "content-length": 0,
    "cache-control": "no-store",
    "x-request-id": requestId,
  });
  res.end();
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
