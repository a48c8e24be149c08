import type { ApiKey, KeyInfo } from "#contract/key.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { isPermission } from "#server/access/permissions.ts";
import { spendingOnWire } from "#server/accounts/index.ts";
import { numberFromPico } from "#server/platform/money.ts";
import type { KeySpending } from "./effective-limits.ts";

export const keyColumns = {
  id: true,
  public_id: true,
  last_four: true,
  name: true,
  user_id: true,
  workspace_id: true,
  workspace: { select: { limit_pico_eur: true, limit_reset: true } },
  parent_id: true,
  parent: { select: { public_id: true } },
  permissions: true,
  models_restricted: true,
  allowed_models: true,
  limit_pico_eur: true,
  limit_reset: true,
  include_byok_in_limit: true,
  requests_per_minute: true,
  app_host: true,
  disabled: true,
  expires_at: true,
  last_used_at: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.api_keySelect;
export type KeyRow = Prisma.api_keyGetPayload<{ select: typeof keyColumns }>;

/** What `GET /key` and the lists have in common. */
function common(row: KeyRow, { spending, effective }: KeySpending) {
  return {
    hash: row.public_id,
    name: row.name,
    label: `${row.public_id}…${row.last_four}`,
    ...spendingOnWire(row, spending),
    effective_limit: effective && numberFromPico(effective.limit),
    limit_remaining: effective && numberFromPico(effective.remaining),
    include_byok_in_limit: row.include_byok_in_limit,
    requests_per_minute: row.requests_per_minute,
    permissions: row.permissions.filter(isPermission),
    allowed_models: row.models_restricted ? row.allowed_models : null,
    workspace_id: row.workspace_id,
    creator_user_id: row.user_id,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

export const toWire = (row: KeyRow, known: KeySpending): ApiKey => ({
  id: row.id,
  ...common(row, known),
  app_host: row.app_host,
  parent_hash: row.parent?.public_id ?? null,
  disabled: row.disabled,
  last_used: row.last_used_at?.toISOString() ?? null,
  external_user: null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const noFreeRequests = { limit: 0, used: 0, remaining: 0 } as const;

/** What a key reads about itself; `perMinute` is the installation's limit of requests for keys without one. */
export const toInfo = (row: KeyRow, known: KeySpending, orgId: string, perMinute: number): KeyInfo => ({
  ...common(row, known),
  is_free_tier: false,
  is_management_key: row.permissions.includes("keys:write"),
  is_provisioning_key: row.permissions.includes("keys:write"),
  organization_id: orgId,
  allowed_data_regions: ["global"],
  rate_limit: {
    requests: row.requests_per_minute ?? perMinute,
    interval: "1m",
    note: "Requests of the key; the limit of its organisation applies too.",
  },
  free_model_daily_requests: noFreeRequests,
});
