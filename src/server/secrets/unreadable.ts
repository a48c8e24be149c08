import { operatorSystem } from "#server/accounts/index.ts";
import { record } from "#server/audit/record.ts";
import { signAuditLog } from "#server/audit/sign.ts";
import type { Database } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { type SealedColumn, sealedColumns, textOf } from "./sealed-columns.ts";

/** How many secrets of one kind none of the available keys can decrypt. */
interface Loss {
  readonly what: string;
  readonly count: number;
}

export interface Unreadable {
  /** Until when a process that runs, or died recently, holds credit; null when none does. */
  readonly servedUntil: string | null;
  /** Keys that secrets are encrypted with and the settings do not contain. */
  readonly keyIds: readonly string[];
  readonly losses: readonly Loss[];
}

/** The ID of the key is within the first characters of an encrypted text, so no more of it is read. */
const beginning = 16;

/** Rows of `t` that none of the keys in `$1` can decrypt. */
const unreadable = (of: SealedColumn): string =>
  `${textOf(of)} is not null and split_part(left(${textOf(of)}, ${beginning}), '.', 2) <> all($1::text[])`;

/** A process writes a heartbeat every few seconds. A minute after the last one it counts as dead. */
const serving = `
  select to_char(max(beat_at + interval '1 minute') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
  from instance_heartbeat where beat_at > now() - interval '1 minute'`;
const missingKeys = `select id from sealing_key where id <> all($1::text[]) order by created_at`;

/** Finds what can no longer be read because its key is lost. Changes nothing. */
export async function findUnreadable(database: Database, { keyIds: held }: Sealer): Promise<Unreadable> {
  const keyIds = (await database.statement<{ id: string }>(missingKeys, [held])).map(({ id }) => id);
  const losses: Loss[] = [];
  for (const of of keyIds.length > 0 ? sealedColumns : []) {
    const counted = `select count(*)::int as count from ${of.table} as t where ${unreadable(of)}`;
    const [row] = await database.statement<{ count: number }>(counted, [held]);
    losses.push({ what: of.what, count: row?.count ?? 0 });
  }
  const [alive] = await database.statement<{ until: string | null }>(serving, []);
  return { servedUntil: alive?.until ?? null, keyIds, losses: losses.filter(({ count }) => count > 0) };
}

/**
 * Deletes what can no longer be read, and the records of its keys, so that the installation starts without them. The
 * operator's audit log records what was deleted. No process may be running meanwhile.
 */
export async function purgeUnreadable(database: Database, sealer: Sealer): Promise<void> {
  const { keyIds, losses } = await findUnreadable(database, sealer);
  // The keys are deleted last: if this is interrupted before, it can be run again.
  for (const of of keyIds.length > 0 ? sealedColumns : [])
    await database.statement(`delete from ${of.table} as t where ${unreadable(of)}`, [sealer.keyIds]);
  // Rows that the lost key signed can no longer be verified. They are accepted as they are.
  await signAuditLog({ database, log: silentLog, accepted: new Set(["foreign"]) });
  await database.transaction(async (tx) => {
    await tx.sealing_key.deleteMany({ where: { id: { in: [...keyIds] } } });
    const caller = await operatorSystem(tx);
    if (!caller) return;
    const deleted = Object.fromEntries(losses.map(({ what, count }) => [what, count]));
    for (const id of keyIds)
      await record(tx, caller, {
        action: "sealing_key.forget",
        subject: { type: "sealing_key", id },
        before: { sealed_with: id },
        after: { deleted },
      });
  });
}
