import type { LimitReset } from "#contract/key.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Permission } from "#server/access/permissions.ts";
import { recordConfigurationChange } from "#server/audit/change.ts";
import { record } from "#server/audit/record.ts";
import type { Tx } from "#server/db/index.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";
import { parseKey } from "./format.ts";

export interface KeyGrant {
  /** Of the row, where it must be known beforehand. */
  readonly id?: string;
  readonly name: string;
  readonly orgId: string;
  readonly userId: string;
  readonly permissions: readonly Permission[];
  readonly workspaceId?: string | null;
  /** The key that made it, when the caller is not that key itself. */
  readonly makerId?: string | null;
  /** The key it shares the limit of. */
  readonly parentId?: string | null;
  /** null = every model. */
  readonly allowedModels?: readonly string[] | null;
  readonly limit?: Pico | null;
  readonly limitReset?: LimitReset | null;
  readonly includeByokInLimit?: boolean;
  /** null = the installation's default. */
  readonly requestsPerMinute?: number | null;
  /** ISO 8601 in UTC. */
  readonly expiresAt?: string | null;
  readonly disabled?: boolean;
  /** Of the application that asked for it. */
  readonly appHost?: string;
}

/** A grant as the audit log keeps it. */
const auditable = (grant: KeyGrant, publicId: string) => ({
  name: grant.name,
  public_id: publicId,
  permissions: [...grant.permissions],
  workspace_id: grant.workspaceId ?? null,
  allowed_models: grant.allowedModels ? [...grant.allowedModels] : null,
  limit_eur: grant.limit == null ? null : decimalFromPico(grant.limit, 6),
  limit_reset: grant.limitReset ?? null,
  include_byok_in_limit: grant.includeByokInLimit ?? false,
  requests_per_minute: grant.requestsPerMinute ?? null,
  expires_at: grant.expiresAt ?? null,
  ...(grant.appHost !== undefined && { app_host: grant.appHost }),
});

/** Stores a minted key in the caller's transaction, without its plain text. Returns the row's id. */
export async function storeKey(
  tx: Tx,
  caller: Caller,
  key: string,
  prefix: string,
  grant: KeyGrant,
): Promise<string> {
  const parsed = parseKey(key, prefix);
  if (!parsed) throw new RangeError("Not a well-formed API key of this installation");
  const row = await tx.api_key.create({
    data: {
      ...(grant.id !== undefined && { id: grant.id }),
      public_id: parsed.publicId,
      digest: parsed.digest,
      last_four: parsed.lastFour,
      name: grant.name,
      org_id: grant.orgId,
      user_id: grant.userId,
      workspace_id: grant.workspaceId ?? null,
      parent_id: grant.parentId ?? null,
      maker_id: caller.kind === "key" ? caller.keyId : (grant.makerId ?? null),
      permissions: [...grant.permissions],
      models_restricted: grant.allowedModels != null,
      allowed_models: [...(grant.allowedModels ?? [])],
      limit_pico_eur: grant.limit?.toString() ?? null,
      limit_reset: grant.limitReset ?? null,
      include_byok_in_limit: grant.includeByokInLimit ?? false,
      requests_per_minute: grant.requestsPerMinute ?? null,
      expires_at: grant.expiresAt ?? null,
      app_host: grant.appHost ?? null,
      disabled: grant.disabled ?? false,
    },
    select: { id: true },
  });
  await recordConfigurationChange(tx, caller, {
    action: "api_key.create",
    subject: { type: "api_key", id: row.id },
    after: auditable(grant, parsed.publicId),
  });
  return row.id;
}

/** Stores a key in place of another, which counts no more. Returns the new row's id. */
export async function replaceKey(
  tx: Tx,
  caller: Caller,
  replacedId: string,
  key: string,
  prefix: string,
  grant: KeyGrant,
): Promise<string> {
  const replaced = await tx.api_key.findUnique({
    where: { id: replacedId, org_id: grant.orgId },
    select: { public_id: true },
  });
  if (replaced) {
    await tx.api_key.delete({ where: { id: replacedId, org_id: grant.orgId } });
    await record(tx, caller, {
      action: "api_key.delete",
      subject: { type: "api_key", id: replacedId },
      before: { name: grant.name, public_id: replaced.public_id },
    });
  }
  return storeKey(tx, caller, key, prefix, grant);
}
