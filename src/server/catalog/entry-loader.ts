import type { PrismaClient } from "#generated/prisma/client.ts";
import { createRowCache, type ReportRow, readRows } from "#server/db/index.ts";
import { columns, type EntryLayers, entryOf, layerOf, oldestFirst } from "./entry-rows.ts";
import type { EntryRow } from "./overlay.ts";

const headColumns = { id: true, org_id: true, scope: true, updated_at: true } as const;

/** Returns what loads the entries of all organisations. Each entry is read again only after a change of it. */
export function createEntryLoader(report: ReportRow): (prisma: PrismaClient) => Promise<EntryLayers> {
  const cache = createRowCache<EntryRow>();
  return async ({ catalogue_entry: entries }) => {
    const heads = await entries.findMany({ select: headColumns, orderBy: [...oldestFirst] });
    const known = await cache(
      heads.map(({ id, updated_at }) => ({ id, stamp: updated_at.getTime() })),
      async (ids) => {
        const rows = await entries.findMany({ where: { id: { in: ids } }, select: columns });
        return readRows(rows, { table: "catalogue_entry", report, read: entryOf }).map((row) => [
          row.id,
          row,
        ]);
      },
    );
    const layerFrom = (orgId: string | null, its: typeof heads) =>
      layerOf(
        orgId,
        its.flatMap(({ id }) => known.get(id) ?? []),
        its.map(({ id, updated_at }) => `${id} ${updated_at.getTime()}`).join(),
      );
    const isShared = ({ scope }: (typeof heads)[number]) => scope === "installation";
    const own = Map.groupBy(
      heads.filter((head) => !isShared(head)),
      ({ org_id }) => org_id,
    );
    const layers = new Map([...own].map(([orgId, its]) => [orgId, layerFrom(orgId, its)]));
    return { installation: layerFrom(null, heads.filter(isShared)), of: (orgId) => layers.get(orgId) };
  };
}
