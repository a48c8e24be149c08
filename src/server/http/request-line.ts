import type { IncomingMessage } from "node:http";
import { AppError } from "#server/platform/errors.ts";

const refuse = (message: string): AppError =>
  new AppError("BAD_REQUEST", message, { headers: { connection: "close" } });

const slash = 0x2f;

/** The number of `Host` lines of a request. Node uses the first and ignores the others. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

/** The path and query of an absolute-form target (RFC 9112, 3.2.2), which must name this server. */
function pathOfAbsolute(target: string, ownHosts: readonly (string | undefined)[]): string {
  const url = URL.parse(target);
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuse("The request target must be a path such as /keys");
  const isOwn = ownHosts.some((host) => URL.parse(`${url.protocol}//${host}`)?.host === url.host);
  if (!isOwn || url.username || url.password) {
    throw refuse("The request target names another host than this server");
  }
  return url.pathname + url.search;
}

/**
 * The target of a request as a path with its query, or `*` for `OPTIONS *`. Throws BAD_REQUEST, and ends the
 * connection, for what this server does not speak: upgrades to other protocols, several `Host` lines, other targets.
 */
export function targetOf(req: IncomingMessage, publicHost: string | undefined): string {
  const { headers, method, url = "" } = req;
  // No other protocol is supported, and a client that waits for an upgrade must know immediately.
  if (headers.upgrade !== undefined) {
    throw refuse("This server speaks HTTP/1.1 only: send the request without the header Upgrade");
  }
  if (countHosts(req.rawHeaders) > 1) throw refuse("A request must have exactly one Host header");
  if (url.charCodeAt(0) === slash) return url;
  if (url === "*" && method === "OPTIONS") return url;
  return pathOfAbsolute(url, [headers.host, publicHost]);
}
