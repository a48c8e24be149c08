import { LastCheck, type ProviderCredential } from "#contract/byok.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns, readRow } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";

/** Everything, with the sealed secret, of which only whether it can be read is shown. */
export const credentialColumns = {
  id: true,
  org_id: true,
  secret: true,
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

/** What is said of a credential that cannot be decrypted. */
export const unreadableSecret = "secret: cannot be read; save the credential again";

/** The secret of a credential. Throws CONFLICT if it cannot be decrypted. */
export function secretOf(sealer: Sealer, row: Pick<CredentialRow, "id" | "org_id" | "secret">): string {
  const { value, problem } = readRow(() => sealer.open(row.secret, placeOf(row)));
  if (problem !== null) throw new AppError("CONFLICT", unreadableSecret);
  return value;
}

export function toWire(sealer: Sealer, row: CredentialRow): ProviderCredential {
  const check = readColumns(row, { last_check: [LastCheck.nullable(), null] });
  const isReadable = readRow(() => secretOf(sealer, row)).problem === null;
  return {
    ...toAudit(row),
    last_used: row.last_used_at?.toISOString() ?? null,
    last_check: check.last_check,
    problem: isReadable ? check.problem : unreadableSecret,
    label: `…${row.last_four ?? ""}`,
    ...forOpenRouter,
  };
}

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
