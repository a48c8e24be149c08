import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "#server/access/caller.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import type { Log } from "#server/platform/log.ts";
import { record } from "./record.ts";
import { signAuditLog } from "./sign.ts";

/** Records, outside the database, that rows without a signature are no longer accepted. */
const markerName = "audit-log.signed";

interface FirstSigning {
  readonly database: Database;
  readonly dataDir: string;
  readonly log: Log;
  /** The organisation whose log records it. */
  readonly operator: (tx: Tx) => Promise<Caller | null>;
}

/**
 * Signs rows that were written before signatures existed: once per data directory. They are accepted as they are;
 * from then on an unsigned row is invalid.
 */
export async function signOnce({ database, dataDir, log, operator }: FirstSigning): Promise<void> {
  const marker = join(dataDir, markerName);
  if (existsSync(marker)) return;
  const { rows } = await signAuditLog({ database, log, accepted: new Set(["missing"]) });
  if (rows > 0) {
    log.warn({ event: "audit", count: rows }, "Rows of the audit log were signed for the first time");
    await database.transaction(async (tx) => {
      const caller = await operator(tx);
      if (!caller) return;
      const subject = { type: "audit_log", id: caller.orgId };
      await record(tx, caller, { action: "audit_log.sign", subject, after: { rows } });
    });
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(marker, `${isoTime(clock.nowMs())} ${rows} rows\n`, { mode: 0o600 });
}
