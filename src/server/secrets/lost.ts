import { operatorSystem } from "#server/accounts/index.ts";
import { record } from "#server/audit/record.ts";
import { signAuditLog } from "#server/audit/sign.ts";
import type { Database } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { type SealedColumn, sealedColumns, textOf } from "./sealed-columns.ts";

/** What of one kind cannot be read with any key there is. */
interface Loss {
  readonly what: string;
  readonly count: number;
}

export interface Lost {
  /** Until when a process that serves, or died a short while ago, holds credit; null when none does. */
  readonly servedUntil: string | null;
  /** Keys that secrets are sealed with and the settings do not hold. */
  readonly keyIds: readonly string[];
  readonly losses: readonly Loss[];
}

/** Sealed text begins with its key within so many characters: no more of it has to be read. */
const beginning = 16;

/** Rows of `t` that none of the keys in `$1` opens. */
const unreadable = (of: SealedColumn): string =>
  `${textOf(of)} is not null and split_part(left(${textOf(of)}, ${beginning}), '.', 2) <> all($1::text[])`;

/** A process that serves says so every few seconds; a minute after its last word it is dead. */
const serving = `
  select to_char(max(beat_at + interval '1 minute') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
  from instance_heartbeat where beat_at > now() - interval '1 minute'`;
const missingKeys = `select id from sealing_key where id <> all($1::text[]) order by created_at`;

/** What can no longer be read since its key is lost. Changes nothing. */
export async function findLost(database: Database, { keyIds: held }: Sealer): Promise<Lost> {
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
 * Deletes what can no longer be read and forgets its keys, so that the installation starts without them; the audit log
 * of who runs it says what was deleted. Nothing must be serving meanwhile.
 */
export async function forgetLost(database: Database, sealer: Sealer): Promise<void> {
  const { keyIds, losses } = await findLost(database, sealer);
  // The keys go last: cut off before that, it is begun again.
  for (const of of keyIds.length > 0 ? sealedColumns : [])
    await database.statement(`delete from ${of.table} as t where ${unreadable(of)}`, [sealer.keyIds]);
  // What the lost key had signed is taken as it stands: nobody can tell any more.
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
