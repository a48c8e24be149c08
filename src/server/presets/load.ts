import type { PrismaClient } from "#generated/prisma/client.ts";
import { createRowCache, type ReportRow, readRow } from "#server/db/index.ts";
import { PresetIndex } from "./preset-index.ts";
import { configOf } from "./preset-rows.ts";
import { type UnreadableVersion, type UsableVersion, usableVersion } from "./preset-version.ts";

/** Returns what loads all presets. Versions never change, so each is read once. */
export function createPresetLoader(report: ReportRow): (prisma: PrismaClient) => Promise<PresetIndex> {
  const cache = createRowCache<UsableVersion | UnreadableVersion>();

  async function readVersions(
    prisma: PrismaClient,
    ids: readonly string[],
    names: ReadonlyMap<string, string>,
  ) {
    const rows = await prisma.preset_version.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, preset_id: true, version: true, config: true, system_prompt: true },
    });
    return rows.map((row): [string, UsableVersion | UnreadableVersion] => {
      const { version, system_prompt: systemPrompt } = row;
      const name = names.get(row.preset_id) ?? "";
      const { value: config, problem } = readRow(() => configOf(row));
      if (problem === null) return [row.id, usableVersion({ name, version, config, systemPrompt })];
      report("preset_version", row.id, problem);
      return [row.id, { problem }];
    });
  }

  return async (prisma) => {
    const presets = await prisma.preset.findMany({
      select: {
        id: true,
        org_id: true,
        workspace_id: true,
        name: true,
        version: true,
        versions: { select: { id: true, version: true } },
      },
    });
    const names = new Map(presets.map(({ id, name }) => [id, name]));
    const known = await cache(
      presets.flatMap(({ versions }) => versions.map(({ id }) => ({ id, stamp: 0 }))),
      (ids) => readVersions(prisma, ids, names),
    );
    return new PresetIndex(
      presets.map(({ org_id: orgId, workspace_id: workspaceId, name, version: current, versions }) => ({
        orgId,
        workspaceId,
        name,
        current,
        versions: new Map(
          versions.flatMap(({ id, version }) => {
            const usable = known.get(id);
            return usable ? [[version, usable] as const] : [];
          }),
        ),
      })),
    );
  };
}
