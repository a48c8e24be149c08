import { z } from "zod";
import { stored } from "#contract/answered.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import { type Preset, PresetConfig, type PresetVersion, type PresetWithVersion } from "#contract/preset.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readRow } from "#server/db/index.ts";
import { operationsOf } from "./preset-version.ts";

export const presetColumns = {
  id: true,
  org_id: true,
  workspace_id: true,
  name: true,
  description: true,
  version: true,
  models: true,
  user_id: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.presetSelect;
export type PresetRow = Prisma.presetGetPayload<{ select: typeof presetColumns }>;

export const versionColumns = {
  id: true,
  preset_id: true,
  version: true,
  config: true,
  system_prompt: true,
  bytes: true,
  restored_from: true,
  user_id: true,
  created_at: true,
} as const satisfies Prisma.preset_versionSelect;
export type VersionRow = Prisma.preset_versionGetPayload<{ select: typeof versionColumns }>;

/** What was stored under other limits is still read; a request that it makes invalid is refused. */
const StoredConfig = stored(PresetConfig);
const Preferences = z.object({ provider: ProviderPreferences.nullish() });

/** Throws for an unknown field or value. No preference is ignored: it may say where data may go. */
export function configOf({ config }: Pick<VersionRow, "config">): PresetConfig {
  const read = StoredConfig.parse(config);
  Preferences.parse(read);
  return read;
}

/** A version that cannot be read sets nothing, and has a problem. */
export function versionToWire(row: VersionRow): PresetVersion {
  const { value, problem } = readRow(() => configOf(row));
  const config = value ?? {};
  const created_at = row.created_at.toISOString();
  return {
    id: row.id,
    preset_id: row.preset_id,
    version: row.version,
    system_prompt: row.system_prompt,
    config,
    operations: problem === null ? operationsOf(config, row.system_prompt) : [],
    problem,
    restored_from: row.restored_from,
    creator_id: row.user_id,
    created_at,
    updated_at: created_at,
  };
}

/** A preset with the ID of its current version. */
export const toWire = (row: PresetRow, currentId: string): Preset => ({
  id: row.id,
  name: row.name,
  slug: row.name,
  description: row.description,
  workspace_id: row.workspace_id,
  status: "active",
  status_updated_at: null,
  designated_version_id: currentId,
  version: row.version,
  models: row.models.length > 0 ? row.models : null,
  creator_user_id: row.user_id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const withVersion = (row: PresetRow, current: VersionRow): PresetWithVersion => ({
  ...toWire(row, current.id),
  designated_version: versionToWire(current),
});

/** What the audit log records of a preset and its current version. */
export const recorded = (row: PresetRow, current: VersionRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  workspace_id: row.workspace_id,
  version: row.version,
  system_prompt: current.system_prompt,
  config: readRow(() => configOf(current)).value,
  restored_from: current.restored_from,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
