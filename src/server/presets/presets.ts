import { isDeepStrictEqual } from "node:util";
import type {
  Preset,
  PresetConfig,
  PresetCreate,
  PresetListQuery,
  PresetUpdate,
  PresetWithVersion,
} from "#contract/preset.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import { containing, type Database, newestFirst, type Page, readPage, readRow } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { assertRoom, findPreset, findVersion, lockPreset, placeOf, visiblePresets } from "./preset-access.ts";
import { configOf, presetColumns, recorded, toWire, withVersion } from "./preset-rows.ts";
import { addVersion, checkedConfig, type NewVersion } from "./versions.ts";

type Reader = Authorized<"workspaces:read">;
type Writer = Authorized<"workspaces:write">;

/** Returns the presets that the caller can use, the newest first, without what they set. */
export async function listPresets(
  { prisma }: Database,
  caller: Reader,
  { search, workspace_id: workspaceId, ...paging }: PresetListQuery,
): Promise<Page<Preset>> {
  const part = containing(search ?? "");
  const where: Prisma.presetWhereInput = {
    AND: [
      visiblePresets(caller),
      search === undefined ? {} : { OR: [{ name: part }, { description: part }] },
      workspaceId === undefined ? {} : { OR: [{ workspace_id: workspaceId }, { workspace_id: null }] },
    ],
  };
  return readPage(paging, {
    rows: (window) =>
      prisma.preset.findMany({ where, select: presetColumns, orderBy: newestFirst, ...window }),
    count: () => prisma.preset.count({ where }),
    async toWire(rows) {
      const current = await prisma.preset_version.findMany({
        where: { OR: rows.map(({ id, version }) => ({ preset_id: id, version })) },
        select: { id: true, preset_id: true },
      });
      const ids = new Map(current.map(({ id, preset_id }) => [preset_id, id]));
      return rows.map((row) => toWire(row, ids.get(row.id) ?? row.id));
    },
  });
}

export async function getPreset(
  { prisma }: Database,
  caller: Reader,
  name: string,
): Promise<PresetWithVersion> {
  const row = await findPreset(prisma, caller, name);
  return withVersion(row, await findVersion(prisma, row, row.version));
}

/** Creates a preset with version 1. */
export async function createPreset(
  database: Database,
  catalogue: Catalogue,
  caller: Writer,
  input: PresetCreate,
): Promise<PresetWithVersion> {
  const config = checkedConfig(catalogue, input.config);
  return changeConfiguration(database, caller, "preset.create", async (tx) => {
    await lockAuditChain(tx, caller.orgId);
    const row = await tx.preset.create({
      data: {
        org_id: caller.orgId,
        workspace_id: await placeOf(tx, caller, input.workspace_id),
        name: input.name,
        description: input.description ?? null,
        version: 1,
        models: config.models ?? [],
        user_id: caller.userId,
      },
      select: presetColumns,
    });
    await assertRoom(tx, caller);
    const first = { config, systemPrompt: input.system_prompt ?? null, restoredFrom: null };
    const version = await addVersion(tx, caller, row.id, 1, first);
    return { result: withVersion(row, version), audit: { id: row.id, after: recorded(row, version) } };
  });
}

/** What the next version contains; null if that is the same as the current one, unless that cannot be read. */
function changed(current: NewVersion | null, next: NewVersion): NewVersion | null {
  const isSame =
    current?.systemPrompt === next.systemPrompt && isDeepStrictEqual(current.config, next.config);
  return isSame ? null : next;
}

/** Changes only what was sent. Another prompt or configuration becomes the current version; the others stay. */
export async function updatePreset(
  database: Database,
  catalogue: Catalogue,
  caller: Writer,
  { slug, description, system_prompt: systemPrompt, config }: PresetUpdate,
): Promise<PresetWithVersion> {
  return changeConfiguration(database, caller, "preset.update", async (tx) => {
    const before = await lockPreset(tx, caller, slug);
    const current = await findVersion(tx, before, before.version);
    const { value: currentConfig, problem } = readRow((): PresetConfig => configOf(current));
    if (problem !== null && config === undefined)
      throw new AppError("CONFLICT", "config: is required, because the current one cannot be read", {
        param: "config",
      });
    const held = currentConfig && {
      config: currentConfig,
      systemPrompt: current.system_prompt,
      restoredFrom: null,
    };
    const next = changed(held, {
      config:
        config === undefined
          ? (currentConfig ?? {})
          : checkedConfig(catalogue, config, currentConfig?.models),
      systemPrompt: systemPrompt === undefined ? current.system_prompt : systemPrompt,
      restoredFrom: null,
    });
    const isDescribed = description !== undefined && description !== before.description;
    if (!next && !isDescribed) return { result: withVersion(before, current), audit: null };
    const version = next ? await addVersion(tx, caller, before.id, before.version + 1, next) : current;
    const after = await tx.preset.update({
      where: { id: before.id, org_id: caller.orgId },
      data: {
        ...(isDescribed && { description }),
        ...(next && { version: version.version, models: next.config.models ?? [] }),
      },
      select: presetColumns,
    });
    return {
      result: withVersion(after, version),
      audit: { id: before.id, before: recorded(before, current), after: recorded(after, version) },
    };
  });
}

/** Deletes a preset with its versions. Requests that name it are refused. */
export async function deletePreset(database: Database, caller: Writer, name: string): Promise<void> {
  await changeConfiguration(database, caller, "preset.delete", async (tx) => {
    const before = await lockPreset(tx, caller, name);
    const current = await findVersion(tx, before, before.version);
    await tx.preset.deleteMany({ where: { id: before.id, org_id: caller.orgId } });
    return { result: undefined, audit: { id: before.id, before: recorded(before, current) } };
  });
}
