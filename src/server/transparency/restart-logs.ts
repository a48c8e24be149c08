import { systemOf } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { isSignedBy } from "./checkpoint.ts";
import { entriesIn, isOf, pendingOf } from "./entry.ts";
import type { LogSigner } from "./note.ts";

/** `name`, `name/2`, `name/3` … */
const nextOrigin = (origin: string): string => {
  const [, name = origin, number = "1"] = /^(.*\/[0-9a-f-]{36})(?:\/(\d+))?$/.exec(origin) ?? [];
  return `${name}/${Number(number) + 1}`;
};

/** Generations of the old log are added to the new one too. */
async function requeueGenerations(tx: Tx, org_id: string): Promise<void> {
  const bundles = await tx.log_bundle.findMany({
    where: { org_id, NOT: { ids_from: null } },
    orderBy: { position: "asc" },
    select: { position: true },
  });
  for (const { position } of bundles) {
    const where = { org_id_position: { org_id, position } };
    const { entries } = await tx.log_bundle.findUniqueOrThrow({ where });
    const generations = entriesIn(entries).filter((entry) => isOf("generation", entry));
    await tx.log_pending.create({ data: { org_id, entries: new Uint8Array(pendingOf(generations)) } });
  }
}

/**
 * Begins new logs, with other origins, for those whose checkpoint is signed with a key that was lost. The audit log
 * records the last checkpoint of the old log. Returns how many.
 */
export async function restartLogs(database: Database, signer: LogSigner): Promise<number> {
  const trees = await database.prisma.log_tree.findMany();
  const lost = trees.filter(
    ({ origin, checkpoint }) => checkpoint !== "" && !isSignedBy(checkpoint, signer.keysOf(origin)),
  );
  for (const { org_id, origin, checkpoint } of lost)
    await changeRecords(database, systemOf(org_id), "transparency_log.restart", async (tx) => {
      const begun = nextOrigin(origin);
      await requeueGenerations(tx, org_id);
      await tx.log_tile.deleteMany({ where: { org_id } });
      await tx.log_bundle.deleteMany({ where: { org_id } });
      // They are of the old log: a proof from the new one must not contain them.
      await tx.log_cosignature.deleteMany({ where: { org_id } });
      await tx.log_publication.deleteMany({ where: { org_id } });
      await tx.log_tree.update({
        where: { org_id },
        data: { origin: begun, size: 0, audit_position: 0, checkpoint: "", signed_with: "" },
      });
      const audit = { id: org_id, before: { origin, checkpoint }, after: { origin: begun } };
      return { result: undefined, audit };
    });
  return lost.length;
}
