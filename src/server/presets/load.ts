import type { PrismaClient } from "#generated/prisma/client.ts";
import { createRowCache } from "#server/db/index.ts";
import { PresetIndex } from "./preset-index.ts";
import { configOf } from "./preset-rows.ts";
import { type UsableVersion, usableVersion } from "./preset-version.ts";

/** Returns what loads all presets. Versions never change, so each is read once. */
export function createPresetLoader(): (prisma: PrismaClient) => Promise<PresetIndex> {
  const cache = createRowCache<UsableVersion>();

  async function readVersions(
    prisma: PrismaClient,
    ids: readonly string[],
    names: ReadonlyMap<string, string>,
  ) {
    const rows = await prisma.preset_version.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, preset_id: true, version: true, config: true, system_prompt: true },
    });
    return rows.map((row): [string, UsableVersion] => {
      const { version, system_prompt: systemPrompt } = row;
      const name = names.get(row.preset_id) ?? "";
      return [row.id, usableVersion({ name, version, config: configOf(row), systemPrompt })];
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
