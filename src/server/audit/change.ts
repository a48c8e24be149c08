import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { raiseConfigVersion } from "#server/db/config-version.ts";
import { type AuditEntry, record } from "./record.ts";

/** The result of a change, and its audit row: null if nothing changed. */
export interface Changed<T> {
  readonly result: T;
  readonly audit: {
    /** The ID of what changed. */
    readonly id: string;
    /** The kind of what changed; by default the noun of the action. */
    readonly type?: string;
    /** As the API would show it, without secrets. */
    readonly before?: object;
    readonly after?: object;
  } | null;
}

type Work<T> = (tx: Tx) => Promise<Changed<T>>;

/** Returns the audit row of a change. */
export const entryOf = (
  action: string,
  { id, type = action.slice(0, action.indexOf(".")), before, after }: NonNullable<Changed<unknown>["audit"]>,
): AuditEntry => ({
  action,
  subject: { type, id },
  // What the API shows is JSON, but its interfaces lack the index signature that Prisma requires.
  ...(before && { before: before as Prisma.InputJsonObject }),
  ...(after && { after: after as Prisma.InputJsonObject }),
});

async function changeWith<T>(
  write: (tx: Tx, caller: Caller, entry: AuditEntry) => Promise<void>,
  { database, caller, action, work }: { database: Database; caller: Caller; action: string; work: Work<T> },
): Promise<T> {
  return database.transaction(async (tx) => {
    const { result, audit } = await work(tx);
    if (audit !== null) await write(tx, caller, entryOf(action, audit));
    return result;
  });
}

/**
 * Changes what snapshots contain, such as keys, rules and limits: in one transaction the change, its audit row and a
 * new version of the configuration, which makes every process reload. `action` is noun and verb, such as
 * `api_key.create`.
 */
export const changeConfiguration = <T>(database: Database, caller: Caller, action: string, work: Work<T>) =>
  changeWith(recordConfigurationChange, { database, caller, action, work });

/** Changes what no snapshot contains, such as invitations: in one transaction the change and its audit row. */
export const changeRecords = <T>(database: Database, caller: Caller, action: string, work: Work<T>) =>
  changeWith(record, { database, caller, action, work });

/** Writes the audit row and the new version of the configuration, for one of several changes in a transaction. */
export async function recordConfigurationChange(tx: Tx, caller: Caller, entry: AuditEntry): Promise<void> {
  await record(tx, caller, entry);
  await raiseConfigVersion(tx);
}
