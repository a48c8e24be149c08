import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authorized } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { asInteractive, waitFor } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { getLog, readResource, readResourcePath } from "#server/transparency/index.ts";
import { setRateState } from "./rate-state.ts";
import { apiHeaders } from "./respond.ts";

const prefix = "/transparency-log/";

/** The part of a path below the log's prefix; null if the request is not for one of its static resources. */
export function logResourceOf({ method }: IncomingMessage, path: string): string | null {
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  const isResource = rest === "checkpoint" || rest.startsWith("tile/");
  return isResource && (method === "GET" || method === "HEAD") ? rest : null;
}

interface Resource {
  readonly type: string;
  readonly caching: string;
  readonly body: Uint8Array;
}

async function read(
  { transparency }: Services,
  caller: Authorized<"audit:read", "organisation">,
  name: string,
): Promise<Resource> {
  if (name === "checkpoint") {
    const { checkpoint } = await getLog(transparency, caller);
    return { type: "text/plain; charset=utf-8", caching: "no-store", body: Buffer.from(checkpoint) };
  }
  const place = readResourcePath(name);
  const body = place && (await readResource(transparency.database, caller, place));
  if (!body) throw new AppError("NOT_FOUND", "The log has no such tile, or not as many entries yet");
  // What a path contains never changes: a tile that grows gets another path.
  return { type: "application/octet-stream", caching: "private, max-age=31536000, immutable", body };
}

/** Answers the static resources of the caller's transparency log: `checkpoint` and `tile/…` (C2SP tlog-tiles). */
export async function serveLogResource(
  services: Services,
  caller: Authorized<"audit:read", "organisation">,
  res: ServerResponse,
  { name, requestId }: { readonly name: string; readonly requestId: string },
): Promise<void> {
  const { type, caching, body } = await asInteractive(caller.orgId, async () => {
    setRateState(res, await waitFor(services.rates.admit({ caller, ipAddress: null })));
    return read(services, caller, name);
  });
  res.writeHead(200, {
    ...apiHeaders,
    "content-type": type,
    "content-length": body.length,
    "cache-control": caching,
    "x-request-id": requestId,
  });
  res.end(body);
}
