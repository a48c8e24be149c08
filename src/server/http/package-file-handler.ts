import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { asInteractive, waitFor } from "#server/db/index.ts";
import { openPackageFile, type PackageFile } from "#server/evidence/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { ConsoleSession } from "./console-session.ts";
import { setRateState } from "./rate-state.ts";
import { apiHeaders, drained } from "./respond.ts";

type Auditor = Authorized<"audit:read", "organisation">;

const apiPath = /^\/evidence-packages\/([^/]+)\/file$/;
/** Where the console downloads archives. The id of the package follows. */
export const packageFilesPrefix = "/api/evidence-packages/";

/** The id in the path of `GET /evidence-packages/{id}/file`; null for any other request. */
export function packageFileOf({ method }: IncomingMessage, path: string): string | null {
  return method === "GET" || method === "HEAD" ? (apiPath.exec(path)?.[1] ?? null) : null;
}

interface Sending {
  readonly file: PackageFile;
  readonly orgId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends an archive, one part at a time as the client reads. If a part is missing it throws, which closes the connection:
 * nobody takes the beginning for all of it.
 */
async function send(
  req: IncomingMessage,
  res: ServerResponse,
  { file, orgId, headers }: Sending,
): Promise<void> {
  const { name, sizeBytes, sha256 } = file;
  const isHead = req.method === "HEAD";
  let first = isHead ? null : await asInteractive(orgId, () => file.readPart(0));
  res.writeHead(200, {
    ...headers,
    "content-type": "application/zip",
    "content-length": sizeBytes,
    "content-disposition": `attachment; filename="${name}"`,
    // RFC 9530.
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  if (isHead) return void res.end();
  let sentBytes = 0;
  for (let number = 0; sentBytes < sizeBytes && !res.destroyed; number++) {
    const part = first ?? (await asInteractive(orgId, () => file.readPart(number)));
    first = null;
    sentBytes += part.length;
    if (!res.write(part)) await drained(res);
  }
  res.end();
}

/** Opens the archive of a package by the id of a path, which may be any text. */
function open({ database }: Services, caller: Auditor, id: string): Promise<PackageFile> {
  if (!z.uuid().safeParse(id).success)
    throw new AppError("BAD_REQUEST", "id: must be a UUID", { param: "id" });
  return openPackageFile(database, caller, id);
}

/** Answers `GET /evidence-packages/{id}/file` with the archive. */
export async function servePackageFile(
  services: Services,
  caller: Auditor,
  req: IncomingMessage,
  res: ServerResponse,
  { id, requestId }: { readonly id: string; readonly requestId: string },
): Promise<void> {
  const file = await asInteractive(caller.orgId, async () => {
    setRateState(res, await waitFor(services.rates.admit({ caller, ipAddress: null })));
    return open(services, caller, id);
  });
  await send(req, res, {
    ...{ file, orgId: caller.orgId },
    headers: { ...apiHeaders, "x-request-id": requestId },
  });
}

/** Answers `GET /api/evidence-packages/<id>` for the session's person. */
export async function servePackageFileToConsole(
  services: Services,
  session: ConsoleSession,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.method !== "GET" && req.method !== "HEAD")
    throw new AppError("METHOD_NOT_ALLOWED", "This path takes GET, HEAD", {
      headers: { allow: "GET, HEAD" },
    });
  const id = (req.url ?? "").split("?")[0]?.slice(packageFilesPrefix.length) ?? "";
  const { file, orgId } = await asInteractive(session.holderOf(req), async () => {
    const { caller, countCall } = await session.contextOf(req, res);
    await countCall?.();
    const auditor = authorize(caller, "audit:read", "organisation");
    return { file: await open(services, auditor, id), orgId: auditor.orgId };
  });
  await send(req, res, { file, orgId, headers: {} });
}
