import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";

/** What an organisation has, in pico-EUR. `free` is what is neither used nor lent to a process. */
export interface Balance {
  readonly granted: bigint;
  readonly used: bigint;
  readonly free: bigint;
}

interface AmountRow {
  amount: string;
}

/**
 * Lends up to `want` and at least `need` pico-EUR of an organisation's free credit to this process, in one
 * conditional statement. Returns what was lent; 0n when there is less than `need`.
 */
export async function takeLease(
  database: Database,
  lease: { instanceId: string; orgId: string; need: bigint; want: bigint },
): Promise<bigint> {
  const { instanceId, orgId } = lease;
  const ttlSeconds = limits.credit.leaseTtlMs / 1000;
  const rows = await database.prisma.$queryRaw<AmountRow[]>`
    with balance as (
      select granted_pico_eur - used_pico_eur - leased_pico_eur as free, granted_pico_eur - used_pico_eur as unspent
      from credit_balance where org_id = ${orgId}::uuid for update
    ), slice as (
      select least(free, greatest(${lease.need.toString()}::numeric,
        least(${lease.want.toString()}::numeric, trunc(unspent / ${limits.credit.leaseShareOfBalance})))) as amount
      from balance where free >= ${lease.need.toString()}::numeric and free > 0
    ), lent as (
      update credit_balance set leased_pico_eur = leased_pico_eur + slice.amount
      from slice where org_id = ${orgId}::uuid
    )
    insert into credit_lease (instance_id, org_id, remaining_pico_eur, expires_at)
    select ${instanceId}::uuid, ${orgId}::uuid, slice.amount, now() + make_interval(secs => ${ttlSeconds}) from slice
    on conflict (instance_id, org_id) do update
      set remaining_pico_eur = credit_lease.remaining_pico_eur + excluded.remaining_pico_eur,
          expires_at = excluded.expires_at
    returning (select amount from slice)::text as amount`;
  return BigInt(rows[0]?.amount ?? "0");
}

/**
 * Brings the account of a limited API key up to its limit as it stands now: opened with what the key has cost in
 * the running period, begun anew when a period (UTC, weeks from Monday) has passed.
 */
export async function openBudget(database: Database, keyId: string): Promise<void> {
  await database.prisma.$executeRaw`
    insert into credit_balance (org_id, granted_pico_eur, used_pico_eur, period, period_start)
    select key.id, key.limit_pico_eur,
      coalesce((select sum(cost_pico_eur) from key_usage where api_key_id = key.id
        and (start.at is null or day >= (start.at at time zone 'UTC')::date)), 0),
      term.period, start.at
    from api_key key
    cross join lateral (select case key.limit_reset
      when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' end as period) term
    cross join lateral (select date_trunc(term.period, now(), 'UTC') as at) start
    where key.id = ${keyId}::uuid and key.limit_pico_eur is not null
    on conflict (org_id) do update
    set granted_pico_eur = excluded.granted_pico_eur, period = excluded.period, period_start = excluded.period_start,
      used_pico_eur = case when credit_balance.period_start is distinct from excluded.period_start
        then excluded.used_pico_eur else credit_balance.used_pico_eur end`;
}

/** Keeps this process's leases alive by the database's clock. */
export async function renewLeases(database: Database, instanceId: string): Promise<void> {
  const ttlSeconds = limits.credit.leaseTtlMs / 1000;
  await database.prisma.$executeRaw`
    update credit_lease set expires_at = now() + make_interval(secs => ${ttlSeconds})
    where instance_id = ${instanceId}::uuid`;
}

/** Gives back what an instance was lent and did not spend. Only once nothing of its spool is left to book. */
export async function closeLeases(database: Database, instanceId: string): Promise<void> {
  await database.prisma.$executeRaw`
    with closed as (
      delete from credit_lease where instance_id = ${instanceId}::uuid returning org_id, remaining_pico_eur
    )
    update credit_balance set leased_pico_eur = leased_pico_eur - closed.remaining_pico_eur
    from closed where credit_balance.org_id = closed.org_id`;
}

export async function readBalance(database: Database, orgId: string): Promise<Balance> {
  const row = await database.prisma.credit_balance.findUnique({ where: { org_id: orgId } });
  const granted = BigInt(row?.granted_pico_eur.toFixed(0) ?? "0");
  const used = BigInt(row?.used_pico_eur.toFixed(0) ?? "0");
  return { granted, used, free: granted - used - BigInt(row?.leased_pico_eur.toFixed(0) ?? "0") };
}
