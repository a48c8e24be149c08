import { join } from "node:path";
import { operatorSystem } from "#server/accounts/index.ts";
import { record } from "#server/audit/record.ts";
import { signAuditLog } from "#server/audit/sign.ts";
import type { Database } from "#server/db/index.ts";
import type { JobRun } from "#server/jobs/queue/job-table.ts";
import { type Config, SettingsError } from "#server/platform/env.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { type ResealDeps, resealAll } from "./reseal.ts";

type KeySettings = Pick<Config, "ENCRYPTION_KEY" | "ENCRYPTION_KEY_PREVIOUS" | "dataDir">;

/** The message if secrets are encrypted with keys the settings do not contain. */
function refusal({ ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS, dataDir }: KeySettings, missing: string[]) {
  const ids = missing.join(" and ");
  if (ENCRYPTION_KEY_PREVIOUS.length > 0) {
    return `ENCRYPTION_KEY_PREVIOUS lacks a key: secrets in the database are sealed with ${ids}`;
  }
  const setting = ENCRYPTION_KEY ? "ENCRYPTION_KEY" : join(dataDir, "encryption.key");
  return `${setting} does not hold the key of this database: its secrets are sealed with ${ids}. Give that key back, or, if the key was changed, name the earlier one in ENCRYPTION_KEY_PREVIOUS. If it is lost for good: docs/operations.md, "A lost encryption key"`;
}

/**
 * Refuses to start if the installation's keys cannot decrypt stored secrets, and records the current key as one that is
 * used from now on. Throws `SettingsError`.
 */
export async function assertSealingKeys(
  { prisma }: Database,
  sealer: Sealer,
  settings: KeySettings,
): Promise<void> {
  const known: ReadonlySet<string> = new Set(sealer.keyIds);
  const used = await prisma.sealing_key.findMany({ orderBy: { created_at: "asc" } });
  const missing = used.map(({ id }) => id).filter((id) => !known.has(id));
  if (missing.length > 0) throw new SettingsError([refusal(settings, missing)]);
  await prisma.sealing_key.createMany({ data: [{ id: sealer.keyIds[0] }], skipDuplicates: true });
}

/** Deletes the records of keys that are no longer used, with an entry in the operator's audit log. */
async function retireKeys({ database, sealer, log }: ResealDeps, unreadable: number): Promise<void> {
  const [current, ...earlier] = sealer.keyIds;
  await database.transaction(async (tx) => {
    const caller = await operatorSystem(tx);
    for (const id of earlier) {
      const row = await tx.sealing_key.findUnique({ where: { id } });
      if (!row) continue;
      await tx.sealing_key.delete({ where: { id } });
      if (!caller) continue;
      await record(tx, caller, {
        action: "sealing_key.retire",
        subject: { type: "sealing_key", id },
        before: { sealed_with: id },
        after: { sealed_with: current, moved: row.moved, unreadable },
      });
    }
  });
  log.info(
    { event: "sealing", count: unreadable },
    "Nothing is sealed with an earlier key any more: ENCRYPTION_KEY_PREVIOUS can be taken out",
  );
}

/** After a change of the key: encrypts everything with the new one. Throws if it must continue later. */
export async function changeSealingKey(deps: ResealDeps, { signal }: Pick<JobRun, "signal">): Promise<void> {
  const { database, sealer, log } = deps;
  if (sealer.keyIds.length === 1) return;
  const { finished, moved, unreadable } = await resealAll(deps, signal);
  if (moved > 0) log.info({ event: "sealing", count: moved }, "Secrets were sealed with the new key");
  if (!finished) throw new Error("Some secrets must still be encrypted with the new key");
  const signed = await signAuditLog({ database, log, accepted: new Set(), signal });
  if (!signed.finished) throw new Error("Some rows of the audit log must still be signed with the new key");
  await retireKeys(deps, unreadable);
}
