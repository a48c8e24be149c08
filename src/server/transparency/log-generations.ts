import type pg from "pg";
import type { BookedReceipt } from "#server/db/index.ts";
import { pendingDigits } from "./entry.ts";

const insertPending = `
  insert into log_pending (org_id, entries) select org_id, entries from unnest($1::uuid[], $2::bytea[]) as added (org_id, entries)`;

/**
 * Notes booked generations for the transparency logs of their organisations, in the transaction that books them. The
 * sequencer adds them.
 */
export async function logGenerations(client: pg.ClientBase, booked: readonly BookedReceipt[]): Promise<void> {
  const byOrg = [...Map.groupBy(booked, ({ org_id }) => org_id)];
  await client.query(insertPending, [
    byOrg.map(([orgId]) => orgId),
    byOrg.map(
      ([, rows]) => `\\x${rows.map(({ id, receipt_hash }) => pendingDigits(id, receipt_hash)).join("")}`,
    ),
  ]);
}
