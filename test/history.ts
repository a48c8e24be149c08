import { sumDay } from "#server/activity/index.ts";
import type { Database } from "#server/db/client.ts";
import { addMonths, timeOfId } from "#server/db/index.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { decisionAmong, storeDecisions } from "./data-flows.ts";

interface History {
  readonly orgId: string;
  readonly userId: string;
  /** Of one month. */
  readonly generations: number;
  /** How many months back; by default 1. */
  readonly months?: number;
  readonly rules: number;
  readonly keys: number;
  /** Fewer at night and on weekends, as an office asks: about half of them are left out. */
  readonly officeHours?: boolean;
}

/** Who is asked for what in the made-up history; costs are pico-EUR for a token. */
const served = [
  { model: "mistralai/mistral-small-3.2-24b-instruct", provider: "mistral", eur: 150_000, region: "FR" },
  { model: "openai/gpt-oss-120b", provider: "scaleway", eur: 300_000, region: "FR" },
  { model: "mistralai/mistral-small-3.2-24b-instruct", provider: "mistral", eur: 150_000, region: "FR" },
  { model: "openai/gpt-oss-120b", provider: "nebius", eur: 260_000, region: "FI" },
  { model: "anthropic/claude-haiku-4.5", provider: "aws-bedrock", eur: 1_900_000, region: "DE" },
  { model: "qwen/qwen3.8-27b", provider: "ovhcloud", eur: 90_000, region: "FR" },
  { model: "openai/gpt-oss-120b", provider: "scaleway", eur: 300_000, region: "FR" },
  { model: "openai/gpt-oss-20b", provider: "together", eur: 80_000, region: "US" },
].map(({ region, ...one }) => {
  const endpoint = `${one.provider}:${one.model}`;
  const excluded = [`groq:${one.model}`];
  const decision = decisionAmong({ [endpoint]: region }, [], { model: one.model, excluded });
  return { ...one, region, endpoint, decision };
});
const servedRows = JSON.stringify(served.map((one) => ({ ...one, decision: one.decision.hash })));

const addKeys = `
  insert into api_key (id, public_id, digest, last_four, name, org_id, user_id, permissions, allowed_models, updated_at)
  select gen_random_uuid(), 'HISTORY' || lpad(n::text, 5, '0'), md5('history ' || n) || md5('key ' || n),
    lpad(n::text, 4, '0'), (array['Backoffice','Search','Support bot','Batch jobs','Notebook'])[1 + n % 5] || ' ' || n,
    $1::uuid, $2::uuid, '{inference:use}', '{}', now()
  from generate_series(1, $3::int) as n`;

const addRules = `
  insert into routing_rule
    (id, name, name_key, scope, owner_id, user_id, org_id, api_key_id, models, provider, updated_at)
  select gen_random_uuid(), 'Rule ' || n, 'rule ' || n, 'api_key', key.id, $2::uuid, $1::uuid, key.id, '{}',
    jsonb_build_object('data_residency', (array['eu','de','fr'])[1 + n % 3], 'max_retention_days', n % 30), now()
  from generate_series(1, $3::int) as n
  join (select id, row_number() over (order by public_id) - 1 as place, count(*) over () as keys
    from api_key where org_id = $1::uuid) as key on key.place = n % key.keys`;

const newId = (timeMs: string): string =>
  `(lpad(to_hex(${timeMs}), 12, '0') || '7' || right(translate(gen_random_uuid()::text, '-', ''), 19))::uuid`;

const addGenerations = `
  insert into generation (id, request_id, org_id, user_id, api_key_id, operation, model_requested, model, provider,
    endpoint, region, status, error_code, http_status, finish_reason, native_finish_reason, streamed, cancelled, strategy,
    attempts, attempt_ms, decision_hash, ranked, parameters, prompt_tokens, completion_tokens, cached_tokens,
    cache_write_tokens, reasoning_tokens, search_units, usage_estimated, is_byok, price_version, fx_usd_per_eur, fx_date,
    cost_pico_usd, cost_pico_eur, upstream_pico_usd, cost_parts, user_reference, session_id, app_title, started_at,
    latency_ms, duration_ms)
  select ${newId("(extract(epoch from at) * 1000)::bigint")}, 'history-' || n, $1::uuid, $2::uuid, key.id,
    (array['chat','chat','completions','responses'])[1 + n % 4], one->>'model', one->>'model', one->>'provider',
    one->>'endpoint', one->>'region', case when n % 97 = 0 then 'failed' when n % 61 = 0 then 'cancelled' else 'completed' end,
    case when n % 97 = 0 then 'PROVIDER_ERROR' end, case when n % 97 = 0 then 502 else 200 end, 'stop', 'stop',
    n % 2 = 0, n % 61 = 0, 'balanced',
    case when n % 11 = 0 or n % 97 = 0 then
      case when n % 11 = 0 then jsonb_build_array(jsonb_build_object('endpoint', 'ionos:' || (one->>'model'),
        'provider', 'ionos', 'outcome', 'server_error', 'status', 503, 'duration_ms', 90 + n % 200)) else '[]'::jsonb end ||
      jsonb_build_array(jsonb_build_object('endpoint', one->>'endpoint', 'provider', one->>'provider',
        'outcome', case when n % 97 = 0 then 'server_error' else 'ok' end,
        'status', case when n % 97 = 0 then 500 else 200 end, 'duration_ms', 200 + n % 900)) end,
    case when n % 11 <> 0 and n % 97 <> 0 then 200 + n % 900 end, decode(one->>'decision', 'hex'), '[[0]]', '{}',
    300 + n % 1700, 40 + n % 600, n % 200, 0, 0, 0, false, false, '2026-11', 1.1, '2026-11-20', eur * 1.1, eur, eur * 1.1,
    concat_ws(' ', 'EUR 0 0 0', (eur * 1.1)::bigint, '0 0 0 0', eur, 0), null, 'session-' || n % 5000, null, at,
    120 + n % 700, 300 + n % 4000
  from generate_series($6::int, least($7::int, $3::int)) as n
  join (select id, row_number() over (order by public_id) - 1 as place, count(*) over () as keys
    from api_key where org_id = $1::uuid) as key on key.place = (n::bigint * 7919) % key.keys
  cross join lateral (select $4::jsonb -> (n % jsonb_array_length($4::jsonb)) as one) as served
  cross join lateral (select (340 + n % 2300) * (one->>'eur')::bigint as eur) as cost
  cross join lateral (select now() - ((n - 0.5)::float8 / $3::int) * interval '29 days' as at) as moment
  cross join lateral (select at at time zone 'UTC' as at_utc) as clock
  where not $5::boolean or (n::bigint * 7919) % 100 <
    (50 - 45 * cos((extract(hour from at_utc) - 2) * pi() / 12))
      * case when extract(isodow from at_utc) > 5 then 0.25 else 1 end`;

/** A database cancels a statement that takes too long, so each of them adds so many requests, or a day of them. */
const requestsTogether = 25_000;
const ofDay =
  "started_at >= now() - $2::int * interval '1 day' and started_at < now() - ($2::int - 1) * interval '1 day'";

/** One day of the newest month once more, so many months before. */
const repeatGenerations = (columns: readonly string[]) => {
  const changed: Record<string, string> = {
    id: newId(`${timeOfId} - $3::int * 29 * ${dayMs}::bigint`),
    started_at: "started_at - $3::int * interval '29 days'",
  };
  return `
  insert into generation (${columns.join(", ")})
  select ${columns.map((column) => changed[column] ?? column).join(", ")} from generation
  where org_id = $1::uuid and ${ofDay}`;
};

const bookDay = `
  with booked as (
    insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, created_at)
    select id, org_id, 'credits', 'usage', cost_pico_eur, 'usage', started_at from generation
    where org_id = $1::uuid and request_id like 'history-%' and ${ofDay} returning amount_pico_eur
  )
  update credit_balance set used_pico_eur = used_pico_eur + (select coalesce(sum(amount_pico_eur), 0) from booked)
  where account_id = $1::uuid`;

const grantCredit = `
  with granted as (
    insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, reason)
    select gen_random_uuid(), $1::uuid, 'granted', 'credits',
      greatest(500000000000000, ceil(used_pico_eur / 1e15) * 2e15), 'grant', 'Yearly budget'
    from credit_balance where account_id = $1::uuid returning amount_pico_eur
  )
  update credit_balance set granted_pico_eur = granted_pico_eur + (select amount_pico_eur from granted)
  where account_id = $1::uuid`;

const sumDayOfUse = `
  insert into usage_day (org_id, day, api_key_id, workspace_id, model, provider, is_byok, requests, errors,
    prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, search_units, cost_pico_usd, cost_pico_eur,
    upstream_pico_usd)
  select org_id, (started_at at time zone 'UTC')::date, api_key_id, '00000000-0000-0000-0000-000000000000', model,
    provider, false, count(*), count(error_code), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), 0, 0,
    sum(cost_pico_usd), sum(cost_pico_eur), sum(upstream_pico_usd)
  from generation where org_id = $1::uuid and request_id like 'history-%' and
    started_at >= $2::date::timestamp at time zone 'UTC' and started_at < ($2::date + 1)::timestamp at time zone 'UTC'
  group by org_id, (started_at at time zone 'UTC')::date, api_key_id, model, provider`;

const daysOfMonth = 29;

/** Fills an organisation with a month of made-up traffic, keys and rules, with books that balance. */
export async function makeHistory(database: Database, history: History): Promise<void> {
  const { orgId, userId, generations, months = 1, rules, keys, officeHours = false } = history;
  const startOfTodayMs = clock.nowMs() - (clock.nowMs() % dayMs);
  await storeDecisions(
    database,
    orgId,
    served.map(({ decision }) => decision),
  );
  await database.batch(async (client) => {
    for (let month = 0; month <= months; month++)
      await addMonths(client, clock.nowMs() - month * daysOfMonth * dayMs);
    await client.query("set local statement_timeout = 0");
    await client.query(addKeys, [orgId, userId, keys]);
    await client.query(addRules, [orgId, userId, rules]);
    for (let n = 1; n <= generations; n += requestsTogether) {
      const last = n + requestsTogether - 1;
      await client.query(addGenerations, [orgId, userId, generations, servedRows, officeHours, n, last]);
    }
    const { fields } = await client.query("select * from generation limit 0");
    const repeat = repeatGenerations(fields.map(({ name }) => name));
    const days = Array.from({ length: daysOfMonth * months }, (_, at) => at + 1);
    for (let month = 1; month < months; month++)
      for (const day of days.slice(0, daysOfMonth)) await client.query(repeat, [orgId, day, month]);
    for (const day of days) await client.query(bookDay, [orgId, day]);
    await client.query(grantCredit, [orgId]);
    for (const day of [0, ...days]) {
      const dayStartMs = startOfTodayMs - day * dayMs;
      await client.query(sumDayOfUse, [orgId, isoTime(dayStartMs)]);
      await sumDay(client, dayStartMs);
    }
    // As PostgreSQL does by itself after a while.
    await client.query("analyze");
    await client.query("update config_version set version = version + 1");
  });
}
