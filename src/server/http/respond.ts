import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ownPath } from "#contract/own-path.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { yieldEvery } from "#server/platform/yield-every.ts";
import { rateHeadersOf } from "./rate-state.ts";

/** Headers a browser app on another origin may read. */
const exposed = [
  "x-request-id",
  "request-id",
  "x-generation-id",
  "x-provider-id",
  "x-provider-slug",
  "x-routing-strategy",
  "x-routing-rule-id",
  "x-model-used",
  "x-model-variant",
  "x-fallback-count",
  "x-portolan-max-tokens-applied",
  "x-portolan-preset",
  "x-portolan-transforms",
  "x-portolan-dropped-params",
  "x-portolan-translated-params",
  "x-portolan-clamped-params",
  "x-model-fallback-count",
  "deprecation",
  "sunset",
  "link",
  "retry-after",
  "x-should-retry",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-tokens",
].join(", ");

/** For every answer under `/api/v1`: bearer keys only, no cookies, so any origin may call. */
export const apiHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
  "x-content-type-options": "nosniff",
} as const;

/** Constant headers, as the flat list that `writeHead` takes without iterating over objects. */
const usualForPages = [
  ...Object.entries(apiHeaders).flat(),
  "content-type",
  "application/json; charset=utf-8",
  "cache-control",
  "no-store",
];
/** CORS headers matter only to browsers, which send an origin. */
const exposedAt = usualForPages.indexOf("access-control-expose-headers");
const usual = usualForPages.toSpliced(exposedAt, 2);

function headOf(
  res: ServerResponse,
  bytes: number,
  requestId: string,
  headers: Record<string, string>,
): string[] {
  const fromPage = res.req.headers.origin !== undefined;
  const list = (fromPage ? usualForPages : usual).slice();
  list.push("x-request-id", requestId, "content-length", String(bytes));
  const rate = rateHeadersOf(res);
  for (const name of Object.keys(rate)) if (!(name in headers)) list.push(name, rate[name] ?? "");
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? "");
  return list;
}

/** Answers with JSON text. `headers` are added to the usual ones. */
export function respondJson(
  res: ServerResponse,
  status: number,
  json: string,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, headOf(res, Buffer.byteLength(json), requestId, headers));
  res.end(json);
}

/**
 * Resolves once the client accepted the written data; a client that accepts nothing for the drain time is
 * disconnected.
 */
export async function drained(res: ServerResponse): Promise<void> {
  const patience = setTimeout(() => res.destroy(), limits.stream.drainTimeoutMs);
  const over = new AbortController();
  try {
    const { signal } = over;
    await Promise.race([once(res, "drain", { signal }), once(res, "close", { signal })]);
  } finally {
    clearTimeout(patience);
    // Removes the listener of the other event, which would accumulate for slow readers.
    over.abort();
  }
}

/** Answers 200 with JSON text in pieces, each written once the client accepted the previous ones. */
export async function respondLong(
  res: ServerResponse,
  pieces: readonly (string | Buffer)[],
  requestId: string,
  headers: Record<string, string>,
): Promise<void> {
  if (res.headersSent || res.destroyed) return;
  const pause = yieldEvery();
  let bytes = 0;
  for (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    await pause(piece.length);
  }
  if (res.destroyed) return;
  res.writeHead(200, headOf(res, bytes, requestId, headers));
  for (const piece of pieces) {
    if (!res.write(piece)) await drained(res);
    if (res.destroyed) return;
    await pause(piece.length);
  }
  res.end();
}

/** Answers with cacheable JSON text, or with 304 if the client has it already. */
export function respondCached(
  req: IncomingMessage,
  res: ServerResponse,
  json: string,
  {
    requestId,
    seconds,
    isPrivate,
  }: { readonly requestId: string; readonly seconds: number; readonly isPrivate: boolean },
): void {
  if (res.headersSent || res.destroyed) return;
  const etag = `"${sha256(json).slice(0, 32)}"`;
  const headers = {
    ...apiHeaders,
    "cache-control": isPrivate ? "private, no-cache" : `public, max-age=${seconds}`,
    vary: [res.getHeader("vary"), "authorization", "x-api-key", "x-org-id"].filter(Boolean).join(", "),
    etag,
    "x-request-id": requestId,
  };
  const held = req.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (held?.includes(etag)) {
    res.writeHead(304, headers);
    res.end();
    return;
  }
  res.writeHead(200, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(json),
  });
  res.end(json);
}

/** Answers with an empty 302 to a page of the console. `publicUrl` is the console's address, if it is set. */
export function respondRedirect(
  res: ServerResponse,
  path: string,
  publicUrl: string | undefined,
  requestId: string,
): void {
  if (res.headersSent || res.destroyed) return;
  const origin = publicUrl ? new URL(publicUrl).origin : "";
  res.writeHead(302, {
    ...apiHeaders,
    location: origin + ownPath(path),
    "content-length": 0,
    "cache-control": "no-store",
    "x-request-id": requestId,
    ...rateHeadersOf(res),
  });
  res.end();
}

/** Answers that a page of the console has moved permanently. */
export function respondMoved(res: ServerResponse, path: string): void {
  res.writeHead(308, { location: ownPath(path), "content-length": 0 }).end();
}

interface ErrorOptions {
  readonly headers?: Record<string, string>;
  readonly shape?: (error: AppError, requestId: string) => object;
}

/** Answers with an error in the usual envelope or in `shape`; destroys the connection if an answer has begun. */
export function respondError(
  res: ServerResponse,
  error: AppError,
  requestId: string,
  { headers = {}, shape = errorEnvelope }: ErrorOptions = {},
): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const json = JSON.stringify(shape(error, requestId));
  respondJson(res, error.status, json, requestId, { ...headers, ...error.headers });
}
