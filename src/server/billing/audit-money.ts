import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";

/** An invariant, and the rows that violate it. */
export interface Finding {
  readonly invariant: string;
  /** Number of violations; 0 is required. */
  readonly broken: number;
  /** Number of rows that are correct but worth knowing; null for an invariant. */
  readonly noticed: number | null;
  /** Some of the IDs. */
  readonly examples: readonly string[];
}

/** The currency of the price of a generation. Rows of earlier versions have the parts of their cost as JSON. */
const priceCurrency = "coalesce(split_part(cost_parts, ' ', 1), cost_details ->> 'currency')";

/** Invariants of every database at every moment. Each statement selects the violations. */
const always: Readonly<Record<string, string>> = {
  "every generation that was completed or cost something has its charge": `
    select id::text from generation where (status = 'completed' or cost_pico_eur > 0)
    and not exists (select from ledger_transfer where ledger_transfer.id = generation.id)`,
  "every charge belongs to a generation of the same organisation and cost": `
    select transfer.id::text from ledger_transfer transfer left join generation on generation.id = transfer.id
    where transfer.kind = 'usage'
    and (generation.id is null or generation.org_id <> transfer.org_id
      or generation.cost_pico_eur <> transfer.amount_pico_eur)`,
  "an organisation's balance is the sum of its transfers": `
    select balance.account_id::text from credit_balance balance
    join organisation on organisation.id = balance.account_id
    left join lateral (
      select sum(case 'granted' when from_account then amount_pico_eur when to_account then -amount_pico_eur end)
          as granted,
        sum(case 'usage' when to_account then amount_pico_eur when from_account then -amount_pico_eur end) as used
      from ledger_transfer where ledger_transfer.org_id = balance.account_id
    ) total on true
    where granted_pico_eur <> coalesce(total.granted, 0) or used_pico_eur <> coalesce(total.used, 0)`,
  "no transfer is negative or returns to its own account": `
    select id::text from ledger_transfer where amount_pico_eur < 0 or from_account = to_account`,
  "what is leased is the sum of the leases, and no lease is negative": `
    select balance.account_id::text from credit_balance balance
    left join lateral (
      select sum(remaining_pico_eur) as leased, min(remaining_pico_eur) as least
      from credit_lease where credit_lease.account_id = balance.account_id
    ) total on true
    where leased_pico_eur <> coalesce(total.leased, 0) or coalesce(total.least, 0) < 0`,
  "the parts of a cost add up to it": `
    select generation.id::text from generation cross join lateral (
      select coalesce(sum(amount) filter (where unit = 'usd'), 0) as usd,
        coalesce(sum(amount) filter (where unit = 'eur'), 0) as eur
      from (
        select case when place <= 6 then 'usd' else 'eur' end, text::numeric
        from string_to_table(cost_parts, ' ') with ordinality as listed (text, place) where place > 1
        union all
        select right(key, 3), value::numeric from jsonb_each_text(cost_details) where key like '%_pico_%'
      ) part (unit, amount)
    ) part
    where ${priceCurrency} is not null and (upstream_pico_usd <> part.usd
      or cost_pico_usd <> case when is_byok then 0 else part.usd end
      or (${priceCurrency} = 'EUR' and cost_pico_eur <> case when is_byok then 0 else part.eur end))`,
  // PostgreSQL does not round half-even: a euro amount may be either integer beside the quotient.
  "a cost in EUR follows from the one in USD and the rate stored with it": `
    select id::text from generation
    where ${priceCurrency} = 'USD' and abs(cost_pico_eur * fx_usd_per_eur - cost_pico_usd) > fx_usd_per_eur / 2`,
  "reports agree with the generations": `
    select coalesce(day.org_id, sum.org_id)::text from (
      select org_id, sum(requests) as requests, sum(cost_pico_eur) as eur, sum(cost_pico_usd) as usd,
        sum(prompt_tokens + completion_tokens) as tokens from usage_day, history_state
      where day > requests_from group by org_id
    ) day full join (
      select org_id, count(*) as requests, sum(cost_pico_eur) as eur, sum(cost_pico_usd) as usd,
        sum(prompt_tokens::bigint + completion_tokens) as tokens from generation, history_state
      where started_at >= (requests_from + 1)::timestamp at time zone 'UTC' group by org_id
    ) sum using (org_id)
    where (day.requests, day.eur, day.usd, day.tokens) is distinct from (sum.requests, sum.eur, sum.usd, sum.tokens)`,
  "sums of hours agree with those of their days": `
    with complete as (
      select (greatest(sums_from, now() - interval '34 days') at time zone 'UTC')::date + 1 as day from history_state
    )
    select org_id::text from (
      select org_id, usage_day.day, sum(requests) as requests, sum(failed) as failed, sum(cancelled) as cancelled,
        sum(interrupted) as interrupted, sum(fallbacks) as fallbacks, sum(cost_pico_eur) as eur,
        sum(cost_pico_usd) as usd, sum(prompt_tokens + completion_tokens) as tokens
      from usage_day join complete on usage_day.day >= complete.day group by 1, 2
    ) days full join (
      select org_id, (hour at time zone 'UTC')::date as day, sum(requests) as requests, sum(failed) as failed,
        sum(cancelled) as cancelled, sum(interrupted) as interrupted, sum(fallbacks) as fallbacks,
        sum(cost_pico_eur) as eur, sum(cost_pico_usd) as usd, sum(prompt_tokens + completion_tokens) as tokens
      from usage_hour join complete on (hour at time zone 'UTC')::date >= complete.day group by 1, 2
    ) hours using (org_id, day)
    join organisation on organisation.id = org_id
    where (days.requests, days.failed, days.cancelled, days.interrupted, days.fallbacks, days.eur, days.usd, days.tokens)
      is distinct from (hours.requests, hours.failed, hours.cancelled, hours.interrupted, hours.fallbacks, hours.eur,
        hours.usd, hours.tokens)`,
  "an authorization code was exchanged for one key at most": `
    select key_id::text from authorization_code where key_id is not null group by key_id having count(*) > 1`,
};

/** Further invariants when no process runs: no credit is leased. */
const atRest: Readonly<Record<string, string>> = {
  "no credit is leased": `select instance_id::text from credit_lease`,
};

/** Possible states that the operator should know of. */
const notices: Readonly<Record<string, string>> = {
  "organisations have spent or leased more than they have: an answer cost more than its hold": `
    select balance.account_id::text from credit_balance balance join organisation on organisation.id = balance.account_id
    where granted_pico_eur - used_pico_eur - leased_pico_eur < 0`,
  "generations are billed at their bound, because the provider reported more than they could use": `
    select id::text from generation where usage_implausible`,
};

/** Checks the money of the whole installation. `quiescent`: no process runs, and none died without a replay. */
export async function auditMoney(
  database: Database,
  { quiescent = false }: { readonly quiescent?: boolean } = {},
): Promise<Finding[]> {
  const invariants = { ...always, ...(quiescent && atRest) };
  const asked = Object.entries({ ...invariants, ...notices });
  return database.batch(async (client) => {
    // One snapshot for all of them: a concurrent booking is seen completely or not at all.
    await client.query("set transaction isolation level repeatable read read only");
    await client.query("set local statement_timeout = 0");
    const findings: Finding[] = [];
    for (const [invariant, text] of asked) {
      const query = { text, query_timeout: limits.audit.statementTimeoutMs };
      const { rows } = await client.query<Record<string, string>>(query);
      const examples = rows.slice(0, 5).map((row) => Object.values(row)[0] ?? "");
      const count = rows.length;
      findings.push(
        invariant in notices
          ? { invariant, broken: 0, noticed: count, examples }
          : { invariant, broken: count, noticed: null, examples },
      );
    }
    return findings;
  });
}
