import type { Caller } from "#server/access/caller.ts";
import { beyondWorkspace, ownRows, workspaceOf } from "#server/access/scope.ts";
import type { Tx } from "#server/db/index.ts";
import { AppError, found, notFound } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { type DestinationRow, destinationColumns } from "./destination-rows.ts";

/** Throws NOT_FOUND for an unknown destination, or one of another organisation or workspace. */
export async function findDestination(tx: Tx, caller: Caller, id: string): Promise<DestinationRow> {
  const where = { id, ...ownRows(caller) };
  const row = await tx.destination.findFirst({ where, select: destinationColumns });
  return found(row, "broadcast destination", "id");
}

export interface Place {
  readonly owner_id: string;
  readonly workspace_id: string | null;
}

/**
 * The owner of a new destination: by default the workspace of the caller's key, if it has one. Ids of other
 * organisations are not found. Throws FORBIDDEN if a key of a workspace requests more.
 */
export async function placeOf(
  tx: Tx,
  caller: Caller,
  { org_id, workspace_id }: { org_id?: string | null; workspace_id?: string | null },
): Promise<Place> {
  if (org_id && org_id !== caller.orgId) throw notFound("organisation", "org_id");
  const own = workspaceOf(caller);
  if (own !== null && (workspace_id === null || (org_id && !workspace_id)))
    throw beyondWorkspace("workspace_id");
  const requested = workspace_id ?? own;
  if (!requested) return { owner_id: caller.orgId, workspace_id: null };
  const workspace = await tx.workspace.findFirst({
    where: { AND: [{ id: requested, org_id: caller.orgId }, own === null ? {} : { id: own }] },
    select: { id: true },
  });
  const { id } = found(workspace, "workspace", "workspace_id");
  return { owner_id: id, workspace_id: id };
}

/** Every key of a filter belongs to the caller's organisation, or to its workspace. */
export async function keysOf(
  tx: Tx,
  caller: Caller,
  ids: readonly string[] | null | undefined,
): Promise<string[]> {
  const asked = [...new Set(ids ?? [])];
  if (asked.length === 0) return [];
  const known = await tx.api_key.count({ where: { id: { in: asked }, ...ownRows(caller) } });
  if (known !== asked.length) throw notFound("API key", "api_key_filter");
  return asked;
}

/** Call it after the insertion, under `lockAuditChain`. Throws CONFLICT if there are too many. */
export async function assertRoom(tx: Tx, { orgId }: Caller, type: string): Promise<void> {
  const { perTypeMax, perOrganisationMax } = limits.destinations;
  const of = await tx.destination.count({ where: { org_id: orgId, type } });
  if (of > perTypeMax) {
    throw new AppError("CONFLICT", `An organisation may have ${perTypeMax} destinations of one type`, {
      param: "type",
    });
  }
  if ((await tx.destination.count({ where: { org_id: orgId } })) > perOrganisationMax) {
    throw new AppError("CONFLICT", `An organisation may have ${perOrganisationMax} destinations`);
  }
}
