import pg from "pg";
import { sumDay } from "#server/activity/index.ts";
import { addMonths, firstIdOf, startOfMonthMs, timeOfId } from "#server/db/index.ts";

/** Organisations besides the large one, which has every second request. */
const smallOnes = 200;

const served = [
  { model: "mistralai/mistral-small-3.2-24b-instruct", provider: "mistral", region: "FR" },
  { model: "openai/gpt-oss-120b", provider: "scaleway", region: "FR" },
  { model: "openai/gpt-oss-120b", provider: "nebius", region: "FI" },
  { model: "anthropic/claude-haiku-4.5", provider: "aws-bedrock", region: "DE" },
  { model: "qwen/qwen3.8-27b", provider: "ovhcloud", region: "FR" },
];

/** Parameters: first moment in ms, length in ms, rows, the large organisation, user, first number. */
const addFirstDay = `
  insert into generation (id, request_id, org_id, user_id, api_key_id, operation, model_requested, model, provider,
    endpoint, region, status, error_code, http_status, finish_reason, native_finish_reason, streamed, cancelled, strategy,
    attempt_ms, decision_hash, ranked, parameters, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens,
    reasoning_tokens, search_units, usage_estimated, is_byok, price_version, fx_usd_per_eur, fx_date, cost_pico_usd,
    cost_pico_eur, upstream_pico_usd, cost_parts, session_id, started_at, latency_ms, duration_ms)
  select (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid, 'req_' || hash,
    org, $5::uuid, md5(org || ' key ' || h % (case when n % 2 = 0 then 50 else 3 end))::uuid,
    (array['chat', 'chat', 'responses', 'messages'])[1 + n % 4], one->>'model', one->>'model', one->>'provider',
    one->>'provider' || ':' || (one->>'model'), one->>'region',
    case when h % 97 = 0 then 'failed' when h % 61 = 0 then 'cancelled' else 'completed' end,
    case when h % 97 = 0 then 'PROVIDER_ERROR' end, case when h % 97 = 0 then 502 else 200 end, 'stop', 'stop',
    h % 2 = 0, h % 61 = 0, 'balanced', 200 + h % 900, sha256(org::text::bytea), '[[0,1,2,3,4,5]]',
    case when h % 5 = 0 then '{"preset": "support@3"}' else '{}' end::jsonb, 300 + h % 1700, 40 + h % 600, h % 200,
    0, 0, 0, false, false, '2026-11', 1.1, '2026-11-20', (340 + h % 2300) * 165000, (340 + h % 2300) * 150000,
    (340 + h % 2300) * 165000, 'EUR 0 165000 0 0 0', case when h % 20 = 0 then 'session-' || h % 5000 end,
    to_timestamp(ms / 1000.0), 120 + h % 700, 300 + h % 4000
  from generate_series($6::bigint, $6::bigint + $3::bigint - 1) as n
  cross join lateral (select md5(n::text) as hash, $1::bigint + (n - $6::bigint) * $2::bigint / $3::bigint as ms) as of
  cross join lateral (select ('x' || substr(hash, 1, 7))::bit(28)::int as h) as random
  cross join lateral (select case when n % 2 = 0 then $4::uuid else md5('org ' || h % ${smallOnes})::uuid end as org) as whose
  cross join lateral (select $7::jsonb -> (h % ${served.length}) as one) as served`;

/** The first day again, some days later. Parameters: first id, end of ids, days, milliseconds. */
function repeatPart(columns: readonly string[]): string {
  const changed: Record<string, string> = {
    id: `(lpad(to_hex(${timeOfId} + $4::bigint), 12, '0')
      || right(translate(id::text, '-', ''), 20))::uuid`,
    request_id: "request_id || '-' || $3::int",
    started_at: "started_at + $3::int * interval '1 day'",
  };
  return `
    insert into generation (${columns.join(", ")})
    select ${columns.map((column) => changed[column] ?? column).join(", ")} from generation
    where id >= $1::uuid and id < $2::uuid and started_at + $3::int * interval '1 day' < now()`;
}

/** Parameters: first id, end of ids. */
const addCharges = `
  insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, created_at)
  select id, org_id, 'credits', 'usage', cost_pico_eur, 'usage', started_at from generation
  where id >= $1 and id < $2 and (status = 'completed' or cost_pico_eur > 0)`;
const addDays = `
  insert into usage_day (org_id, day, api_key_id, workspace_id, model, provider, is_byok, requests, errors,
    prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, search_units, cost_pico_usd, cost_pico_eur,
    upstream_pico_usd)
  select org_id, (started_at at time zone 'UTC')::date, api_key_id, '00000000-0000-0000-0000-000000000000', model,
    provider, false, count(*), count(error_code), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), 0, 0,
    sum(cost_pico_usd), sum(cost_pico_eur), sum(upstream_pico_usd)
  from generation where id >= $1 and id < $2
  group by org_id, (started_at at time zone 'UTC')::date, api_key_id, model, provider`;

interface Growth {
  readonly orgId: string;
  readonly userId: string;
  readonly rows: number;
  readonly days: number;
}

const dayMs = 86_400_000;
const writers = 2;

/** Fills the database with requests of many organisations until now. Indexes are created afterwards, which is faster. */
export async function grow(server: pg.ClientConfig, growth: Growth): Promise<void> {
  const clients = Array.from({ length: writers }, () => new pg.Client(server));
  for (const client of clients) {
    await client.connect();
    await client.query("set work_mem = '256MB'; set maintenance_work_mem = '1GB'");
  }
  try {
    await fill(clients, growth);
  } finally {
    for (const client of clients) await client.end();
  }
}

async function inTransaction(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await client.query("begin");
  await work();
  await client.query("commit");
}

/** Adds the partitions that the program would have added over time. */
async function addPastMonths(client: pg.Client, firstMs: number): Promise<void> {
  for (let ms = firstMs; ms < Date.now(); ms = startOfMonthMs(ms, 1))
    await inTransaction(client, () => addMonths(client, ms));
}

async function fill(clients: readonly pg.Client[], growth: Growth): Promise<void> {
  const { orgId, userId, rows, days } = growth;
  const [client] = clients;
  if (!client) return;
  const firstMs = (Math.floor(Date.now() / dayMs) - days) * dayMs;
  await addPastMonths(client, firstMs);
  const { rows: indexes } = await client.query<{ name: string; text: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
    where indrelid in ('generation'::regclass, 'ledger_transfer'::regclass) and not indisprimary`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const each = Math.ceil(rows / (days + 1));
  await client.query(addFirstDay, [firstMs, dayMs, each, orgId, userId, 0, JSON.stringify(served)]);
  const { fields } = await client.query("select * from generation limit 0");
  const repeat = repeatPart(fields.map(({ name }) => name));
  const idsOf = (day: number) => [firstIdOf(firstMs + day * dayMs), firstIdOf(firstMs + (day + 1) * dayMs)];
  const left = Array.from({ length: days + 1 }, (_, day) => day);
  const fillDays = async (writer: pg.Client) => {
    for (let day = left.shift(); day !== undefined; day = left.shift()) {
      if (day > 0) await writer.query(repeat, [...idsOf(0), day, day * dayMs]);
      await writer.query(addCharges, idsOf(day));
      await writer.query(addDays, idsOf(day));
    }
  };
  await Promise.all(clients.map(fillDays));
  // `only` would leave the partitions without their indexes.
  for (const { text } of indexes) await client.query(text.replace(" ON ONLY ", " ON "));
  await client.query("vacuum analyze");
  for (let day = 0; day <= days; day++)
    await inTransaction(client, () => sumDay(client, firstMs + day * dayMs));
  await client.query("vacuum analyze");
}
