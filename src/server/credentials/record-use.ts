import type pg from "pg";
import { latestUse } from "#server/platform/latest-use.ts";

interface CredentialUse {
  /** Missing in records spooled by earlier versions. */
  readonly credential_id?: string | null;
  readonly started_at: string;
}

/** At most one write a minute for each; locked in a fixed order, so that two batches cannot deadlock. */
const touchCredentials = `
  with used as (
    select provider_credential.id, used.at
    from provider_credential join jsonb_to_recordset($1::jsonb) as used (id uuid, at timestamptz) using (id)
    where last_used_at is null or last_used_at < used.at - interval '1 minute'
    order by id for update of provider_credential
  )
  update provider_credential set last_used_at = used.at from used where provider_credential.id = used.id`;

/** Records when provider credentials were last used, in the transaction of the ledger rows. */
export async function recordCredentialUse(
  client: pg.ClientBase,
  booked: readonly CredentialUse[],
): Promise<void> {
  const used = latestUse(booked.map((row) => [row.credential_id, row.started_at]));
  if (used.length > 0) await client.query(touchCredentials, [JSON.stringify(used)]);
}
