import type { IncomingMessage, ServerResponse } from "node:http";
import { limits } from "#server/platform/limits.ts";
import { apiHeaders } from "./respond.ts";

const usual = [
  "authorization",
  "content-type",
  "x-api-key",
  "anthropic-version",
  "anthropic-beta",
  "x-org-id",
  "x-title",
  "x-openrouter-title",
  "http-referer",
  "x-session-id",
  "x-request-id",
  "idempotency-key",
  "traceparent",
];
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const preflightSeconds = "86400";

/** The usual headers and those that the browser requests. Any origin may call, so any valid header name is allowed. */
function allowedHeaders(requested: string | undefined): string {
  if (requested === undefined || requested.length > limits.http.preflightHeaderCharsMax)
    return usual.join(", ");
  const names = requested.split(",").map((name) => name.trim().toLowerCase());
  return [...new Set([...usual, ...names.filter((name) => headerName.test(name))])].join(", ");
}

/** Responds to a CORS preflight request. */
export function respondPreflight(
  req: IncomingMessage,
  res: ServerResponse,
  allow: string,
  requestId: string,
): void {
  res.writeHead(204, {
    ...apiHeaders,
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": allowedHeaders(req.headers["access-control-request-headers"]),
    "access-control-max-age": preflightSeconds,
    vary: "access-control-request-headers",
    "x-request-id": requestId,
  });
  res.end();
}
