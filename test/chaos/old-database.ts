import pg from "pg";
import { permissions } from "#server/access/permissions.ts";
import { hashPassword } from "#server/accounts/password.ts";
import { shippedMigrations } from "#server/db/migrations.ts";
import { mintKey } from "#server/keys/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { uuidv7 } from "#server/platform/ids.ts";

/** So many migrations an early version had; those after it carry data over. */
const migrationsOfOld = 3;
const generationsOfOld = 5_000;

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly key: string;
}

/** Makes the database of an early version, with a person, a key, credit and what they used. */
export async function makeOldDatabase(connection: pg.ClientConfig): Promise<Credentials> {
  const credentials = { email: "ada@example.eu", password: "correct horse battery", key: mintKey("ptl") };
  const [orgId, userId, keyId] = [uuidv7(), uuidv7(), uuidv7()];
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`create table _prisma_migrations (
    id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
    migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
    started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`);
  for (const { name, sql, checksum } of shippedMigrations().slice(0, migrationsOfOld)) {
    await client.query(sql);
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       values (gen_random_uuid(), $1, $2, now(), 1)`,
      [checksum, name],
    );
  }
  const insert = (text: string, values: unknown[]) => client.query(text, values);
  await insert("insert into organisation (id, name, slug) values ($1, 'Old', 'old')", [orgId]);
  await insert(`insert into "user" (id, name, email, email_verified) values ($1, 'Ada', $2, true)`, [
    userId,
    credentials.email,
  ]);
  await insert(
    "insert into account (id, account_id, provider_id, user_id, password) values ($1, $2, 'credential', $3, $4)",
    [uuidv7(), userId, userId, await hashPassword(credentials.password)],
  );
  await insert("insert into member (id, org_id, user_id, role) values ($1, $2, $3, 'owner')", [
    uuidv7(),
    orgId,
    userId,
  ]);
  await insert(
    `insert into api_key (id, public_id, digest, last_four, name, org_id, user_id, permissions)
     values ($1, $2, $3, $4, 'Old key', $5, $6, $7)`,
    [
      keyId,
      credentials.key.slice(4, 16),
      sha256(credentials.key),
      credentials.key.slice(-4),
      orgId,
      userId,
      permissions,
    ],
  );
  await insert("insert into credit_balance (org_id, granted_pico_eur) values ($1, 10000000000000)", [orgId]);
  await insert(
    `insert into generation (id, request_id, org_id, user_id, api_key_id, operation, model_requested, model, provider,
       status, http_status, streamed, cancelled, strategy, attempts, decision, parameters, prompt_tokens,
       completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, search_units, usage_estimated, is_byok,
       fx_usd_per_eur, fx_date, cost_pico_usd, cost_pico_eur, upstream_pico_usd, cost_details, started_at, duration_ms)
     select gen_random_uuid(), 'r' || n, $1, $2, $3, 'completions', 'sandbox/chat', 'sandbox/chat', 'sandbox-de',
       'completed', 200, false, false, 'lowest-cost', '[]', '{}', '{}', 10, 20, 0, 0, 0, 0, false, false,
       1.1, '2026-01-01', 1000, 1000, 1000, '{}', now() - n * interval '1 minute', 5
     from generate_series(1, ${generationsOfOld}) as n`,
    [orgId, userId, keyId],
  );
  await client.end();
  return credentials;
}
