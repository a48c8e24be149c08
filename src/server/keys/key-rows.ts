import type { ApiKey, KeyInfo, LimitReset } from "#contract/key.ts";
import { LimitReset as LimitResets } from "#contract/key.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { isPermission } from "#server/auth/permissions.ts";
import type { Tx } from "#server/db/index.ts";
import { numberFromPico } from "#server/platform/money.ts";

export const keyColumns = {
  id: true,
  public_id: true,
  last_four: true,
  name: true,
  user_id: true,
  workspace_id: true,
  parent_id: true,
  permissions: true,
  models_restricted: true,
  allowed_models: true,
  limit_pico_eur: true,
  limit_reset: true,
  disabled: true,
  expires_at: true,
  last_used_at: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.api_keySelect;
export type KeyRow = Prisma.api_keyGetPayload<{ select: typeof keyColumns }>;

interface UsageRow {
  readonly id: string;
  readonly total: string;
  readonly day: string;
  readonly week: string;
  readonly month: string;
  /** What of its limit is used, by itself and the keys it made; null before its first request with a limit. */
  readonly budget_used: string | null;
}

/** What keys have cost, by UTC day, week from Monday and month. */
export async function readUsage(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, UsageRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.$queryRaw<UsageRow[]>`
    select key.id,
      coalesce(sum(cost_pico_eur), 0)::text as total,
      coalesce(sum(cost_pico_eur) filter (where day >= date_trunc('day', now(), 'UTC')::date), 0)::text as day,
      coalesce(sum(cost_pico_eur) filter (where day >= date_trunc('week', now() at time zone 'UTC')::date), 0)::text as week,
      coalesce(sum(cost_pico_eur) filter (where day >= date_trunc('month', now() at time zone 'UTC')::date), 0)::text as month,
      (select used_pico_eur::text from credit_balance where org_id = key.id
        and (period is null or period_start = date_trunc(period, now(), 'UTC'))) as budget_used
    from api_key key left join key_usage on api_key_id = key.id
    where key.id = any(${[...ids]}::uuid[]) group by key.id`;
  return new Map(rows.map((row) => [row.id, row]));
}

const noUsage: UsageRow = { id: "", total: "0", day: "0", week: "0", month: "0", budget_used: null };
const periods = { daily: "day", weekly: "week", monthly: "month" } as const satisfies Record<
  LimitReset,
  keyof UsageRow
>;

const resetOf = (row: KeyRow): LimitReset | null => LimitResets.nullable().parse(row.limit_reset);
const limitOf = (row: KeyRow): bigint | null =>
  row.limit_pico_eur === null ? null : BigInt(row.limit_pico_eur.toFixed(0));

/** What is left of a key's own limit in pico-EUR, never below zero; null without a limit. */
export function remainingOf(row: KeyRow, usage: UsageRow = noUsage): bigint | null {
  const limit = limitOf(row);
  if (limit === null) return null;
  const reset = resetOf(row);
  const used = BigInt(usage.budget_used ?? usage[reset === null ? "total" : periods[reset]]);
  return used < limit ? limit - used : 0n;
}

const amount = (pico: bigint | null): number | null => (pico === null ? null : numberFromPico(pico));

/** What `GET /key` and the lists have in common. */
function common(row: KeyRow, usage: UsageRow) {
  return {
    hash: row.public_id,
    name: row.name,
    label: `${row.public_id}…${row.last_four}`,
    limit: amount(limitOf(row)),
    limit_remaining: amount(remainingOf(row, usage)),
    limit_reset: resetOf(row),
    usage: numberFromPico(BigInt(usage.total)),
    usage_daily: numberFromPico(BigInt(usage.day)),
    usage_weekly: numberFromPico(BigInt(usage.week)),
    usage_monthly: numberFromPico(BigInt(usage.month)),
    permissions: row.permissions.filter(isPermission),
    allowed_models: row.models_restricted ? row.allowed_models : null,
    workspace_id: row.workspace_id,
    creator_user_id: row.user_id,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

export const toWire = (row: KeyRow, usage: UsageRow = noUsage): ApiKey => ({
  id: row.id,
  ...common(row, usage),
  disabled: row.disabled,
  last_used: row.last_used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const toInfo = (row: KeyRow, usage: UsageRow = noUsage): KeyInfo => ({
  ...common(row, usage),
  is_free_tier: false,
  is_management_key: row.permissions.includes("keys:write"),
});
