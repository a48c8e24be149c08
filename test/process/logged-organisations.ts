import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { record } from "#server/audit/record.ts";
import type { Database } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import {
  createLogSigner,
  getLog,
  type LogSigner,
  Sequencer,
  type StoredCheckpoint,
  verifyLogs,
} from "#server/transparency/index.ts";
import { createOrganisation } from "#test/factories.ts";

export const signer = createLogSigner([Buffer.alloc(32, 7)]);
export const originOf = (orgId: string) => `portolan.test/transparency/${orgId}`;

type Reader = Authorized<"audit:read", "organisation">;

/** Transparency logs of a test database. */
export function logsOf(database: Database) {
  /** Lets a process with this key append what is new, and ends it. */
  async function sequenceOnce(by: LogSigner, log = silentLog, runs = 1): Promise<void> {
    const sequencer = new Sequencer({ database, signer: by, originOf }, log);
    try {
      for (let run = 0; run < runs; run++) await sequencer.run();
    } finally {
      await sequencer.close();
    }
  }

  const write = (caller: Caller, id: string) =>
    database.transaction((tx) =>
      record(tx, caller, {
        action: "test.write",
        subject: { type: "test", id },
        after: { note: `Ünïcode ${id}`, id },
      }),
    );

  return {
    sequenceOnce,
    write,
    /** An organisation with `rows` rows beside those of its creation, in its log. */
    async organisation(rows: number) {
      const { orgId, caller } = await createOrganisation(database);
      for (let at = 0; at < rows; at++) await write(caller, String(at));
      await sequenceOnce(signer);
      return { orgId, caller, reader: caller as Reader };
    },
    log: (reader: Reader, by = signer) => getLog({ database, signer: by }, reader),
    problemsOf: async (orgId: string, checkpoints: readonly StoredCheckpoint[] = []) =>
      (await verifyLogs(database, signer, checkpoints)).changed
        .filter((one) => one.orgId === orgId || one.orgId === originOf(orgId))
        .map(({ problem }) => problem),
  };
}
