import type { PrismaClient } from "#generated/prisma/client.ts";
import { PresetIndex } from "./preset-index.ts";
import { configOf } from "./preset-rows.ts";
import { type UsableVersion, usableVersion } from "./preset-version.ts";

/** Reads so many versions with one query. */
const readTogether = 500;

/** Returns what loads all presets. Versions never change, so each is read once. */
export function createPresetLoader(): (prisma: PrismaClient) => Promise<PresetIndex> {
  let known = new Map<string, UsableVersion>();

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
    const ids = presets.flatMap(({ versions }) => versions.map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    const now = new Map<string, UsableVersion>();
    for (const id of ids) {
      const version = known.get(id);
      if (version) now.set(id, version);
    }
    for (let at = 0; at < missing.length; at += readTogether)
      for (const [id, version] of await readVersions(prisma, missing.slice(at, at + readTogether), names))
        now.set(id, version);
    known = now;
    return new PresetIndex(
      presets.map(({ org_id: orgId, workspace_id: workspaceId, name, version: current, versions }) => ({
        orgId,
        workspaceId,
        name,
        current,
        versions: new Map(
          versions.flatMap(({ id, version }) => {
            const usable = now.get(id);
            return usable ? [[version, usable] as const] : [];
          }),
        ),
      })),
    );
  };
}
