import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Counter } from "./hold.ts";
import type { Heartbeat } from "./instance-watch.ts";
import type { Holder } from "./leasing.ts";

/** The process, the account (of an organisation, a limited key or a workspace), and the lease's lifetime. */
export interface Lease {
  readonly instanceId: string;
  readonly accountId: string;
  readonly ttlMs: number;
}

/** The state of an account, in pico-EUR. `free` is neither used nor leased. */
export interface Balance {
  readonly granted: bigint;
  readonly used: bigint;
  readonly free: bigint;
}

/** What was granted, in pico-EUR: 0n if less than the minimum is free. */
export interface GrantedLease {
  readonly amount: bigint;
  /** The process had no lease of this account, or an earlier one was taken back. */
  readonly isNew: boolean;
  /** What is free afterwards. */
  readonly free: bigint;
}

/** A process's request, in pico-EUR: at least `minimum`, and together with what it `has` up to `target`. */
export interface LeaseRequest {
  readonly minimum: bigint;
  readonly target: bigint;
  readonly has?: bigint;
  /** No request waits for it: nothing is granted while other processes are recalling. */
  readonly isAhead?: boolean;
}

/**
 * Leases from the free credit of an account in one conditional statement. Beyond `minimum` it grants at most a share
 * of what is unspent, and nothing while a process is recalling what others do not need.
 */
async function grantLease(database: Database, lease: Lease & LeaseRequest): Promise<GrantedLease> {
  const { instanceId, accountId, has = 0n, isAhead = false } = lease;
  const recallSeconds = limits.credit.recalledForMs / 1000;
  const ttlSeconds = lease.ttlMs / 1000;
  const rows = await database.prisma.$queryRaw<{ amount: string; free: string; is_new: boolean }[]>`
    with balance as (
      select granted_pico_eur - used_pico_eur - leased_pico_eur as free, granted_pico_eur - used_pico_eur as unspent,
        coalesce(recalled_at > clock_timestamp() - make_interval(secs => ${recallSeconds}), false) as is_recalled
      from credit_balance where account_id = ${accountId}::uuid for update
    ), slice as (
      select least(free, greatest(${lease.minimum.toString()}::numeric,
        case when is_recalled then 0 else
          least(${lease.target.toString()}::numeric, trunc(unspent / ${limits.credit.leaseShareOfBalance}))
            - ${has.toString()}::numeric end)) as amount
      from balance where free >= ${lease.minimum.toString()}::numeric and free > 0
        and not (is_recalled and ${isAhead})
    ), granted as (
      update credit_balance set leased_pico_eur = leased_pico_eur + slice.amount
      from slice where account_id = ${accountId}::uuid
    )
    insert into credit_lease (instance_id, account_id, remaining_pico_eur, expires_at)
    select ${instanceId}::uuid, ${accountId}::uuid, slice.amount, now() + make_interval(secs => ${ttlSeconds}) from slice
    on conflict (instance_id, account_id) do update
      set remaining_pico_eur = credit_lease.remaining_pico_eur + excluded.remaining_pico_eur,
          expires_at = excluded.expires_at
    returning (select amount from slice)::text as amount, xmax = 0 as is_new,
      ((select free from balance) - (select amount from slice))::text as free`;
  const [row] = rows;
  return { amount: BigInt(row?.amount ?? "0"), free: BigInt(row?.free ?? "0"), isNew: row?.is_new ?? false };
}

/**
 * Updates the account of a limited API key or workspace to its current limit. It starts with the spending of the
 * current period, and again when a period (UTC, weeks from Monday) ends.
 */
async function openLimit(database: Database, id: string): Promise<void> {
  await database.prisma.$executeRaw`
    insert into credit_balance (account_id, granted_pico_eur, used_pico_eur, period, period_start)
    select holder.id, holder.limit_pico_eur,
      coalesce((select sum(cost_pico_eur + case when holder.with_byok then byok_pico_eur else 0 end)
        from key_usage where holder_id = holder.id
        and (start.at is null or day >= (start.at at time zone 'UTC')::date)), 0),
      term.period, start.at
    from (
      select id, limit_pico_eur, limit_reset, include_byok_in_limit as with_byok from api_key
      union all select id, limit_pico_eur, limit_reset, false from workspace
    ) holder
    cross join lateral (select case holder.limit_reset
      when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' end as period) term
    cross join lateral (select date_trunc(term.period, now(), 'UTC') as at) start
    where holder.id = ${id}::uuid and holder.limit_pico_eur is not null
    on conflict (account_id) do update
    set granted_pico_eur = excluded.granted_pico_eur, period = excluded.period, period_start = excluded.period_start,
      used_pico_eur = case when credit_balance.period_start is distinct from excluded.period_start
        then excluded.used_pico_eur else credit_balance.used_pico_eur end`;
}

/** Creates the account of a limit or counter, or updates it to the limit in the database. */
export async function openAccount(
  database: Database,
  id: string,
  { owner, counter }: Holder,
): Promise<Awaited<ReturnType<Counter["open"]>>> {
  if (counter) return counter.open(database);
  if (owner !== "organisation") await openLimit(database, id);
  return "open";
}

/**
 * Takes a lease, or extends one. Before a refusal it takes back the leases of dead processes, so that nobody is
 * refused for credit that is only waiting for the sweep.
 */
export async function takeLease(database: Database, lease: Lease & LeaseRequest): Promise<GrantedLease> {
  const granted = await grantLease(database, lease);
  if (granted.amount > 0n || !(await sweepLeases(database, lease))) return granted;
  return grantLease(database, lease);
}

/** Returns part of a lease that is neither held nor spent. Does nothing if the lease was taken back. */
export async function returnLease(
  database: Database,
  { instanceId, accountId, amount }: { instanceId: string; accountId: string; amount: bigint },
): Promise<void> {
  await database.prisma.$executeRaw`
    with locked as materialized (
      select account_id from credit_balance where account_id = ${accountId}::uuid for update
    ), lease as (
      select credit_lease.account_id, least(remaining_pico_eur, ${amount.toString()}::numeric) as amount
      from credit_lease join locked using (account_id)
      where instance_id = ${instanceId}::uuid for update of credit_lease
    ), reduced as (
      update credit_lease set remaining_pico_eur = remaining_pico_eur - lease.amount
      from lease where credit_lease.account_id = lease.account_id and instance_id = ${instanceId}::uuid
    )
    update credit_balance set leased_pico_eur = leased_pico_eur - lease.amount
    from lease where credit_balance.account_id = lease.account_id`;
}

/** The result of a heartbeat: the accounts this process still has leases of, and the other processes. */
export interface HeartbeatResult {
  readonly inPlace: ReadonlySet<string>;
  readonly others: readonly Heartbeat[];
}

/** Writes this process's heartbeat and renews its leases, by the database's clock. */
export async function beat(database: Database, instanceId: string, ttlMs: number): Promise<HeartbeatResult> {
  const renewed = await database.prisma.$queryRaw<{ account_id: string }[]>`
    with beat as (
      insert into instance_heartbeat (instance_id, beat_at) values (${instanceId}::uuid, clock_timestamp())
      on conflict (instance_id) do update set beat_at = excluded.beat_at returning instance_id
    )
    update credit_lease set expires_at = now() + make_interval(secs => ${ttlMs / 1000})
    from beat where credit_lease.instance_id = beat.instance_id returning account_id`;
  const others = await database.prisma.$queryRaw<{ instance_id: string; beat: string }[]>`
    select instance_id, beat_at::text as beat from instance_heartbeat where instance_id <> ${instanceId}::uuid`;
  return {
    inPlace: new Set(renewed.map(({ account_id }) => account_id)),
    others: others.map((row) => ({ instanceId: row.instance_id, beat: row.beat })),
  };
}

/** Renews one lease; false if it was taken back after it had expired. */
export async function renewLease(
  database: Database,
  { instanceId, accountId, ttlMs }: Lease,
): Promise<boolean> {
  const renewed = await database.prisma.$executeRaw`
    update credit_lease set expires_at = now() + make_interval(secs => ${ttlMs / 1000})
    where instance_id = ${instanceId}::uuid and account_id = ${accountId}::uuid`;
  return renewed > 0;
}

/**
 * Takes back leases that have expired by the database's clock, of one account or of all, except those of the process
 * `instanceId`. Unbooked spending of the holder is still booked later, from no lease. Returns whether any lease was
 * taken back. Balances are locked before leases, as everywhere.
 */
export async function sweepLeases(
  database: Database,
  { instanceId, accountId = null }: { readonly instanceId: string; readonly accountId?: string | null },
): Promise<boolean> {
  const swept = await database.prisma.$executeRaw`
    with due as (
      select distinct account_id from credit_lease
      where expires_at < now() and instance_id <> ${instanceId}::uuid
        and (${accountId}::uuid is null or account_id = ${accountId}::uuid)
    ), locked as materialized (
      select account_id from credit_balance where account_id in (select account_id from due) order by account_id for update
    ), gone as (
      delete from credit_lease using locked
      where credit_lease.account_id = locked.account_id and expires_at < now() and instance_id <> ${instanceId}::uuid
      returning credit_lease.account_id, remaining_pico_eur
    )
    update credit_balance set leased_pico_eur = leased_pico_eur - total.amount
    from (select account_id, sum(remaining_pico_eur) as amount from gone group by account_id) as total
    where credit_balance.account_id = total.account_id`;
  return swept > 0;
}

/**
 * Takes back the leases of a dead process, unless it has written a heartbeat since. Its unbooked spending is booked
 * when its spool is replayed, from no lease.
 */
export async function sweepDead(database: Database, { instanceId, beat }: Heartbeat): Promise<boolean> {
  const swept = await database.prisma.$executeRaw`
    with dead as (
      delete from instance_heartbeat
      where instance_id = ${instanceId}::uuid and beat_at = ${beat}::timestamptz returning instance_id
    ), due as (
      select account_id from credit_lease join dead using (instance_id)
    ), locked as materialized (
      select account_id from credit_balance where account_id in (select account_id from due) order by account_id for update
    ), gone as (
      delete from credit_lease using locked
      where credit_lease.account_id = locked.account_id and instance_id = ${instanceId}::uuid
      returning credit_lease.account_id, remaining_pico_eur
    )
    update credit_balance set leased_pico_eur = leased_pico_eur - gone.remaining_pico_eur
    from gone where credit_balance.account_id = gone.account_id`;
  return swept > 0;
}

/** Returns the unspent leases of a process. Call it only once its spool is booked completely. */
export async function closeLeases(database: Database, instanceId: string): Promise<void> {
  await database.prisma.$executeRaw`
    with locked as materialized (
      select account_id from credit_balance
      where account_id in (select account_id from credit_lease where instance_id = ${instanceId}::uuid)
      order by account_id for update
    ), closed as (
      delete from credit_lease using locked
      where instance_id = ${instanceId}::uuid and credit_lease.account_id = locked.account_id
      returning credit_lease.account_id, remaining_pico_eur
    )
    update credit_balance set leased_pico_eur = leased_pico_eur - closed.remaining_pico_eur
    from closed where credit_balance.account_id = closed.account_id`;
  await database.prisma.$executeRaw`delete from instance_heartbeat where instance_id = ${instanceId}::uuid`;
}

export async function readBalance(database: Database, accountId: string): Promise<Balance> {
  const row = await database.prisma.credit_balance.findUnique({ where: { account_id: accountId } });
  const granted = BigInt(row?.granted_pico_eur.toFixed(0) ?? "0");
  const used = BigInt(row?.used_pico_eur.toFixed(0) ?? "0");
  return { granted, used, free: granted - used - BigInt(row?.leased_pico_eur.toFixed(0) ?? "0") };
}
