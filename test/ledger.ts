import type { Database } from "#server/db/index.ts";

/** An organisation's money as three independent tellings of it, in pico-EUR. */
export interface LedgerState {
  readonly granted: bigint;
  readonly used: bigint;
  readonly leased: bigint;
  /** What came into the account `credits` less what went out: what the ledger says is left. */
  readonly credits: bigint;
  /** Sum of the costs of all generations. */
  readonly generations: bigint;
  readonly generationCount: number;
  readonly openLeases: bigint;
}

const text = (value: unknown): bigint => BigInt(String(value ?? "0"));

/** Reads all of it in one statement, so that the tellings are of one moment. */
export async function readLedger(database: Database, orgId: string): Promise<LedgerState> {
  const [row] = await database.prisma.$queryRaw<Record<string, unknown>[]>`
    select
      (select granted_pico_eur from credit_balance where account_id = ${orgId}::uuid)::text as granted,
      (select used_pico_eur from credit_balance where account_id = ${orgId}::uuid)::text as used,
      (select leased_pico_eur from credit_balance where account_id = ${orgId}::uuid)::text as leased,
      (select sum(case to_account when 'credits' then amount_pico_eur else -amount_pico_eur end)
        from ledger_transfer where org_id = ${orgId}::uuid and 'credits' in (from_account, to_account))::text as credits,
      (select sum(cost_pico_eur) from generation where org_id = ${orgId}::uuid)::text as generations,
      (select count(*) from generation where org_id = ${orgId}::uuid)::text as generation_count,
      (select sum(remaining_pico_eur) from credit_lease where account_id = ${orgId}::uuid)::text as open_leases`;
  return {
    granted: text(row?.granted),
    used: text(row?.used),
    leased: text(row?.leased),
    credits: text(row?.credits),
    generations: text(row?.generations),
    generationCount: Number(row?.generation_count),
    openLeases: text(row?.open_leases),
  };
}
