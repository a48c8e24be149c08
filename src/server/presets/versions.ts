import type {
  PresetConfig,
  PresetVersion,
  PresetVersionsQuery,
  PresetWithVersion,
} from "#contract/preset.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import { type Database, type Page, readPage, readRow, type Tx } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { ruleModels } from "#server/policy/index.ts";
import { assertRoomForVersions, findPreset, findVersion, lockPreset } from "./preset-access.ts";
import {
  configOf,
  presetColumns,
  recorded,
  type VersionRow,
  versionColumns,
  versionToWire,
  withVersion,
} from "./preset-rows.ts";

type Reader = Authorized<"workspaces:read">;
type Writer = Authorized<"workspaces:write">;

/** A preset and a number of a version. */
export interface Numbered {
  readonly slug: string;
  readonly version: number;
}

export interface NewVersion {
  readonly config: PresetConfig;
  readonly systemPrompt: string | null;
  readonly restoredFrom: number | null;
}

/**
 * A configuration as it is stored: without what is null, with models as the catalogue writes them. Throws BAD_REQUEST
 * for an unknown model that the preset does not have already, and for a configuration that is too long.
 */
export function checkedConfig(
  catalogue: Catalogue,
  config: PresetConfig,
  known: readonly string[] | null | undefined = [],
): PresetConfig {
  const { models } = ruleModels(
    catalogue,
    { models: config.models },
    { asWritten: known ?? [], path: "config." },
  );
  const set = Object.entries({ ...config, models }).filter(([, value]) => value != null);
  const checked: PresetConfig = Object.fromEntries(set);
  const { configCharsMax } = limits.presets;
  if (JSON.stringify(checked).length > configCharsMax)
    throw new AppError("BAD_REQUEST", `config: may have ${configCharsMax} characters as JSON at most`, {
      param: "config",
    });
  return checked;
}

/** Stores a version. Versions never change. */
export async function addVersion(
  tx: Tx,
  caller: Caller,
  presetId: string,
  version: number,
  { config, systemPrompt, restoredFrom }: NewVersion,
): Promise<VersionRow> {
  const row = await tx.preset_version.create({
    data: {
      preset_id: presetId,
      version,
      // The schema accepted JSON only; its type lacks the index signature that Prisma requires.
      config: config as Prisma.InputJsonObject,
      system_prompt: systemPrompt,
      bytes: Buffer.byteLength(JSON.stringify([config, systemPrompt])),
      restored_from: restoredFrom,
      user_id: caller.userId,
    },
    select: versionColumns,
  });
  await assertRoomForVersions(tx, caller, presetId);
  return row;
}

/** Returns the versions of a preset, the newest first. */
export async function listVersions(
  { prisma }: Database,
  caller: Reader,
  { slug, ...paging }: PresetVersionsQuery,
): Promise<Page<PresetVersion>> {
  const { id } = await findPreset(prisma, caller, slug);
  const where = { preset_id: id };
  return readPage(
    // A version can be long, so a page of them is short.
    { ...paging, limit: paging.limit ?? limits.presets.versionsPage },
    {
      rows: (window) =>
        prisma.preset_version.findMany({
          where,
          select: versionColumns,
          orderBy: { version: "desc" },
          ...window,
        }),
      count: () => prisma.preset_version.count({ where }),
      toWire: (rows) => rows.map(versionToWire),
    },
  );
}

export async function getVersion(
  { prisma }: Database,
  caller: Reader,
  { slug, version }: Numbered,
): Promise<PresetVersion> {
  return versionToWire(await findVersion(prisma, await findPreset(prisma, caller, slug), version));
}

/** Makes a new version with the content of an old one, which becomes the current one. */
export async function restoreVersion(
  database: Database,
  caller: Writer,
  { slug, version: number }: Numbered,
): Promise<PresetWithVersion> {
  return changeConfiguration(database, caller, "preset.restore", async (tx) => {
    const before = await lockPreset(tx, caller, slug);
    if (number === before.version)
      throw new AppError("CONFLICT", `version: ${number} is the current version already`, {
        param: "version",
      });
    const old = await findVersion(tx, before, number);
    const current = await findVersion(tx, before, before.version);
    const { value: config, problem } = readRow(() => configOf(old));
    if (problem !== null)
      throw new AppError("CONFLICT", `version: ${number} cannot be read (${problem})`, { param: "version" });
    const next = { config, systemPrompt: old.system_prompt, restoredFrom: number };
    const version = await addVersion(tx, caller, before.id, before.version + 1, next);
    const after = await tx.preset.update({
      where: { id: before.id, org_id: caller.orgId },
      data: { version: version.version, models: config.models ?? [] },
      select: presetColumns,
    });
    return {
      result: withVersion(after, version),
      audit: { id: before.id, before: recorded(before, current), after: recorded(after, version) },
    };
  });
}

/** Deletes an old version. Requests that name it are refused. Throws CONFLICT for the current one. */
export async function deleteVersion(
  database: Database,
  caller: Writer,
  { slug, version: number }: Numbered,
): Promise<void> {
  await changeConfiguration(database, caller, "preset.delete_version", async (tx) => {
    const preset = await lockPreset(tx, caller, slug);
    if (number === preset.version)
      throw new AppError("CONFLICT", "version: the current version cannot be deleted", { param: "version" });
    const old = await findVersion(tx, preset, number);
    await tx.preset_version.deleteMany({ where: { id: old.id, preset_id: preset.id } });
    return {
      result: undefined,
      audit: { id: preset.id, before: { ...recorded(preset, old), version: old.version } },
    };
  });
}
