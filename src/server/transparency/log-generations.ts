import type pg from "pg";
import { pendingDigits } from "./entry.ts";

/** What the log needs of a booked generation. */
export interface LoggedGeneration {
  readonly id: string;
  readonly org_id: string;
  /** The SHA-256 of its receipt, in hexadecimal digits. */
  readonly receipt_hash: string;
}

const insertPending = `
  insert into log_pending (org_id, entries) select org_id, entries from unnest($1::uuid[], $2::bytea[]) as added (org_id, entries)`;

/**
 * Notes booked generations for the transparency logs of their organisations, in the transaction that books them. The
 * sequencer adds them.
 */
export async function logGenerations(
  client: pg.ClientBase,
  booked: readonly LoggedGeneration[],
): Promise<void> {
  const byOrg = [...Map.groupBy(booked, ({ org_id }) => org_id)];
  await client.query(insertPending, [
    byOrg.map(([orgId]) => orgId),
    byOrg.map(
      ([, rows]) => `\\x${rows.map(({ id, receipt_hash }) => pendingDigits(id, receipt_hash)).join("")}`,
    ),
  ]);
}
