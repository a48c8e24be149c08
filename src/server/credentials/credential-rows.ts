import { LastCheck, type ProviderCredential } from "#contract/byok.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { SealedPlace } from "#server/platform/sealing.ts";

/** Everything except the secret. */
export const credentialColumns = {
  id: true,
  provider: true,
  name: true,
  disabled: true,
  is_fallback: true,
  shared: true,
  sort_order: true,
  last_four: true,
  last_used_at: true,
  last_check: true,
  models_restricted: true,
  allowed_models: true,
  keys_restricted: true,
  allowed_keys: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.provider_credentialSelect;
export type CredentialRow = Prisma.provider_credentialGetPayload<{ select: typeof credentialColumns }>;

/** What the audit log stores of it: its configuration, not its results. */
export const toAudit = (row: CredentialRow) => ({
  id: row.id,
  provider: row.provider,
  name: row.name,
  last_four: row.last_four,
  disabled: row.disabled,
  is_fallback: row.is_fallback,
  shared: row.shared,
  sort_order: row.sort_order,
  allowed_models: row.models_restricted ? row.allowed_models : null,
  allowed_api_key_hashes: row.keys_restricted ? row.allowed_keys : null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** What OpenRouter's clients require and credentials do not have. */
const forOpenRouter = {
  workspace_id: null,
  allowed_user_ids: null,
  declared_zdr: null,
  is_byok_only: false,
  is_required: false,
} as const;

export const toWire = (row: CredentialRow): ProviderCredential => ({
  ...toAudit(row),
  last_used: row.last_used_at?.toISOString() ?? null,
  last_check: row.last_check === null ? null : LastCheck.parse(row.last_check),
  label: `…${row.last_four ?? ""}`,
  ...forOpenRouter,
});

/** Enough of a credential to identify it, and nothing of a short one. Of a pair, the end of its id. */
export function lastFourOf(secret: string): string | null {
  const [shown = ""] = secret.split(":");
  return shown.length < 16 ? null : shown.slice(-4);
}

/** What a secret is sealed for: it opens only in its own row and organisation. */
export const placeOf = (row: { readonly id: string; readonly org_id: string }): SealedPlace => ({
  table: "provider_credential",
  column: "secret",
  rowId: row.id,
  orgId: row.org_id,
});
