import type { Database } from "#server/db/index.ts";

/** An organisation's money as three independent tellings of it, in pico-EUR. */
export interface LedgerState {
  readonly granted: bigint;
  readonly used: bigint;
  readonly leased: bigint;
  /** Sum of the entries of the account `credits`: what the ledger says is left. */
  readonly credits: bigint;
  /** Sum of the costs of all generations. */
  readonly generations: bigint;
  readonly generationCount: number;
  /** Sum over all three accounts: zero in a double-entry ledger. */
  readonly sum: bigint;
  /** Transactions whose entries do not sum to zero. */
  readonly unbalanced: number;
  readonly openLeases: bigint;
}

const text = (value: unknown): bigint => BigInt(String(value ?? "0"));

/** Reads all of it in one statement, so that the tellings are of one moment. */
export async function readLedger(database: Database, orgId: string): Promise<LedgerState> {
  const [row] = await database.prisma.$queryRaw<Record<string, unknown>[]>`
    with entry as (
      select ledger_entry.*, account.kind as account_kind
      from ledger_entry join ledger_account account on account.id = account_id where account.org_id = ${orgId}::uuid
    )
    select
      (select granted_pico_eur from credit_balance where org_id = ${orgId}::uuid)::text as granted,
      (select used_pico_eur from credit_balance where org_id = ${orgId}::uuid)::text as used,
      (select leased_pico_eur from credit_balance where org_id = ${orgId}::uuid)::text as leased,
      (select sum(amount_pico_eur) from entry where account_kind = 'credits')::text as credits,
      (select sum(amount_pico_eur) from entry)::text as sum,
      (select count(*) from (
        select transaction_id from entry group by transaction_id having sum(amount_pico_eur) <> 0
      ) as broken)::text as unbalanced,
      (select sum(cost_pico_eur) from generation where org_id = ${orgId}::uuid)::text as generations,
      (select count(*) from generation where org_id = ${orgId}::uuid)::text as generation_count,
      (select sum(remaining_pico_eur) from credit_lease where org_id = ${orgId}::uuid)::text as open_leases`;
  return {
    granted: text(row?.granted),
    used: text(row?.used),
    leased: text(row?.leased),
    credits: text(row?.credits),
    sum: text(row?.sum),
    unbalanced: Number(row?.unbalanced),
    generations: text(row?.generations),
    generationCount: Number(row?.generation_count),
    openLeases: text(row?.open_leases),
  };
}
