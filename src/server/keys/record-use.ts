import type pg from "pg";
import { latestUse } from "#server/platform/latest-use.ts";

interface KeyUse {
  readonly api_key_id: string;
  readonly started_at: string;
}

/** At most one write a minute for each key. */
const touchKeys = `
  update api_key set last_used_at = used.at
  from jsonb_to_recordset($1::jsonb) as used (id uuid, at timestamptz)
  where api_key.id = used.id and (last_used_at is null or last_used_at < used.at - interval '1 minute')`;

/** Records when keys were last used, in the transaction of their ledger rows. */
export async function recordKeyUse(client: pg.ClientBase, booked: readonly KeyUse[]): Promise<void> {
  const used = latestUse(booked.map((row) => [row.api_key_id, row.started_at]));
  await client.query(touchKeys, [JSON.stringify(used)]);
}
