import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { beyondWorkspace, workspaceOf } from "#server/access/scope.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import type { Tx } from "#server/db/index.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { type PresetRow, presetColumns, type VersionRow, versionColumns } from "./preset-rows.ts";

/** The presets that a caller can use: a key of a workspace those of its workspace and of the whole organisation. */
export function visiblePresets(caller: Caller): Prisma.presetWhereInput {
  const workspaceId = workspaceOf(caller);
  return {
    org_id: caller.orgId,
    ...(workspaceId !== null && { OR: [{ workspace_id: workspaceId }, { workspace_id: null }] }),
  };
}

export async function findPreset(tx: Tx, caller: Caller, name: string): Promise<PresetRow> {
  const where = { AND: [{ name }, visiblePresets(caller)] };
  return found(await tx.preset.findFirst({ where, select: presetColumns }), "preset", "slug");
}

export async function findVersion(tx: Tx, preset: PresetRow, version: number): Promise<VersionRow> {
  const where = { preset_id: preset.id, version };
  return found(
    await tx.preset_version.findFirst({ where, select: versionColumns }),
    "version of this preset",
    "version",
  );
}

/**
 * A preset to change. Other changes of the organisation wait until the transaction ends. Throws FORBIDDEN for a key of
 * a workspace if others use the preset too.
 */
export async function lockPreset(tx: Tx, caller: Caller, name: string): Promise<PresetRow> {
  await lockAuditChain(tx, caller.orgId);
  const preset = await findPreset(tx, caller, name);
  if (workspaceOf(caller) !== null && preset.workspace_id === null) throw beyondWorkspace();
  return preset;
}

/** The workspace of a new preset. Throws NOT_FOUND for one the caller may not use. */
export async function placeOf(
  tx: Tx,
  caller: Caller,
  asked: string | null | undefined,
): Promise<string | null> {
  const own = workspaceOf(caller);
  if (own !== null && asked === null) throw beyondWorkspace("workspace_id");
  const requested = asked ?? own;
  if (requested === null) return null;
  const workspace = await tx.workspace.findFirst({
    where: { AND: [{ id: requested, org_id: caller.orgId }, own === null ? {} : { id: own }] },
    select: { id: true },
  });
  return found(workspace, "workspace", "workspace_id").id;
}

const { perOrganisationMax, versionsMax, storedBytesMax } = limits.presets;

/** Call it after the insertion, under `lockAuditChain`. Throws CONFLICT if there are too many presets. */
export async function assertRoom(tx: Tx, { orgId }: Caller): Promise<void> {
  if ((await tx.preset.count({ where: { org_id: orgId } })) <= perOrganisationMax) return;
  throw new AppError("CONFLICT", `An organisation may have ${perOrganisationMax} presets at most`);
}

/** The same for versions, which may also be too long together. */
export async function assertRoomForVersions(tx: Tx, { orgId }: Caller, presetId: string): Promise<void> {
  const repair = "delete versions that no request names any more";
  if ((await tx.preset_version.count({ where: { preset_id: presetId } })) > versionsMax)
    throw new AppError("CONFLICT", `A preset may have ${versionsMax} versions at most; ${repair}`);
  const where = { preset: { org_id: orgId } };
  const { _sum: sum } = await tx.preset_version.aggregate({ where, _sum: { bytes: true } });
  if ((sum.bytes ?? 0) > storedBytesMax)
    throw new AppError(
      "CONFLICT",
      `The presets of an organisation may take ${storedBytesMax} bytes together with their versions; ${repair}`,
    );
}
