import type { ApiKeyUpdate, LimitReset } from "#contract/key.ts";
import { inferencePermissions } from "#contract/permission.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { excessOf } from "#server/access/grants.ts";
import { isPermission, type Permission, permissionsOf } from "#server/access/permissions.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { isAdministrator, readSpending, remainingOf } from "#server/accounts/index.ts";
import type { Tx } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { type Pico, picoFromDecimal } from "#server/platform/money.ts";
import type { KeyGrant } from "./issue.ts";
import { type KeyRow, keyColumns } from "./key-rows.ts";

/** Whether a caller spends from the limit of a key: its own, or that of one that made it. */
const hasLimit = (caller: Caller): caller is Extract<Caller, { kind: "key" }> =>
  caller.kind === "key" && caller.budgets.some(({ owner }) => owner === "key");

/** Whose keys of an organisation somebody can see. */
export interface KeyScope {
  readonly orgId: string;
  /** Null = everybody's. */
  readonly userId: string | null;
  /** Null = of every workspace, and of none. */
  readonly workspaceId: string | null;
  /** That key and those it made; null = all of them. */
  readonly keyId: string | null;
}

/**
 * The keys a caller can see: their own, administrators all of the organisation; of them a key of a workspace those of
 * that workspace. A limited key sees itself and those it made, or it could lift its own limit through another.
 */
export const keyScopeOf = async (tx: Tx, caller: Caller): Promise<KeyScope> => ({
  orgId: caller.orgId,
  userId: (await isAdministrator(tx, caller)) ? null : caller.userId,
  workspaceId: workspaceOf(caller),
  keyId: hasLimit(caller) ? caller.keyId : null,
});

export async function visibleKeys(tx: Tx, caller: Caller): Promise<Prisma.api_keyWhereInput> {
  const { orgId, userId, workspaceId, keyId } = await keyScopeOf(tx, caller);
  return {
    org_id: orgId,
    ...(userId && { user_id: userId }),
    ...(workspaceId && { workspace_id: workspaceId }),
    ...(keyId && { OR: [{ id: keyId }, { parent_id: keyId }] }),
  };
}

/** The requested properties of a key; missing ones are inherited from the caller. */
export interface RequestedKey {
  readonly permissions?: readonly Permission[] | undefined;
  readonly workspace_id?: string | null | undefined;
  readonly allowed_models?: readonly string[] | null | undefined;
  readonly limit?: number | null | undefined;
  readonly limit_reset?: LimitReset | null | undefined;
  readonly include_byok_in_limit?: boolean | undefined;
  readonly requests_per_minute?: number | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** The bounds of a caller, which no key made or changed by them may exceed. */
export interface Bounds {
  readonly permissions: ReadonlySet<Permission>;
  readonly workspaceId: string | null;
  readonly allowedModels: readonly string[] | null;
  readonly remaining: Pico | null;
  readonly includeByokInLimit: boolean;
  /** A key's own rate (null = the installation's default) and what that comes to; null for a person. */
  readonly rate: { readonly own: number | null; readonly max: number } | null;
  /** ISO 8601 in UTC. */
  readonly expiresAt: string | null;
  /** The key whose limit is shared with what it makes. */
  readonly parentId: string | null;
}

export async function boundsOf(tx: Tx, caller: Caller): Promise<Bounds> {
  const { permissions } = caller;
  const free = {
    permissions,
    workspaceId: null,
    allowedModels: null,
    remaining: null,
    includeByokInLimit: false,
    rate: null,
    expiresAt: null,
    parentId: null,
  };
  if (caller.kind !== "key") return free;
  const row = await tx.api_key.findFirst({
    where: { id: caller.keyId, org_id: caller.orgId, disabled: false },
    select: keyColumns,
  });
  if (!row) throw new AppError("UNAUTHORIZED", "The API key is unknown, disabled or expired");
  const spending = await readSpending(tx, [row.id]);
  return {
    permissions,
    workspaceId: row.workspace_id,
    allowedModels: row.models_restricted ? row.allowed_models : null,
    remaining: remainingOf(row, spending.get(row.id)),
    includeByokInLimit: row.include_byok_in_limit,
    rate: { own: row.requests_per_minute, max: caller.requestsPerMinute },
    expiresAt: row.expires_at?.toISOString() ?? null,
    parentId: hasLimit(caller) ? row.id : null,
  };
}

const exceeds = (param: string, what: string): AppError =>
  new AppError(
    "FORBIDDEN",
    `${param}: ${what}. A key cannot exceed the permissions of the key or person that creates it`,
    { param },
  );

function permissionsWithin(requested: readonly Permission[], { permissions }: Bounds): Permission[] {
  const excess = excessOf({ kind: "person", permissions }, { permissions: requested, withBounds: true });
  if (excess) throw exceeds("permissions", excess);
  return [...new Set(requested)];
}

function modelsWithin(requested: readonly string[] | null | undefined, { allowedModels }: Bounds) {
  if (requested === undefined || allowedModels === null) return requested ?? allowedModels;
  const excess =
    requested === null ? "every model" : requested.find((model) => !allowedModels.includes(model));
  if (excess) throw exceeds("allowed_models", `you may not use ${excess} yourself`);
  return requested;
}

function limitWithin(requested: number | null | undefined, { remaining }: Bounds): Pico | null {
  if (requested == null) return null;
  const limit = picoFromDecimal(requested);
  if (remaining !== null && limit > remaining) throw exceeds("limit", "it is above what is left of your own");
  return limit;
}

function rateWithin(requested: number | null | undefined, { rate }: Bounds): number | null {
  if (rate === null) return requested ?? null;
  if (requested === undefined || requested === rate.own) return rate.own;
  if (requested === null || requested > rate.max)
    throw exceeds("requests_per_minute", `your own is ${rate.max}`);
  return requested;
}

function expiryWithin(requested: string | null | undefined, { expiresAt }: Bounds): string | null {
  if (requested === undefined) return expiresAt;
  const end = requested === null ? null : isoTime(Date.parse(requested));
  if (end !== null && Date.parse(end) <= clock.nowMs()) {
    throw new AppError("BAD_REQUEST", "expires_at: lies in the past", { param: "expires_at" });
  }
  if (expiresAt !== null && (end === null || end > expiresAt)) {
    throw exceeds("expires_at", "it is later than your own");
  }
  return end;
}

async function workspaceWithin(
  tx: Tx,
  caller: Caller,
  requested: string | null | undefined,
  { workspaceId }: Bounds,
): Promise<string | null> {
  if (requested === undefined || requested === workspaceId) return workspaceId;
  if (workspaceId !== null) throw exceeds("workspace_id", "your own key belongs to another workspace");
  const found =
    requested &&
    (await tx.workspace.findFirst({ where: { id: requested, org_id: caller.orgId }, select: { id: true } }));
  if (!found) throw notFound("workspace", "workspace_id");
  return found.id;
}

/** What a key may do today: no more than its owner. Of an owner who has left, all that is written in it. */
async function effectivePermissions(tx: Tx, { orgId }: Caller, row: KeyRow): Promise<Permission[]> {
  const member = await tx.member.findUnique({
    where: { org_id_user_id: { org_id: orgId, user_id: row.user_id } },
    select: { role: true },
  });
  const own = row.permissions.filter(isPermission);
  if (!member) return own;
  const allowed = permissionsOf(member.role);
  return own.filter((permission) => allowed.has(permission));
}

/** What stops a key, or only names it, is no grant. */
const grantsNothing = ({ hash: _, name: __, disabled, ...rest }: ApiKeyUpdate): boolean =>
  disabled !== false && Object.values(rest).every((value) => value === undefined);

/**
 * A change of a key, except its name and state, requires the permission for the complete result: the changed key must
 * be within what the caller could grant. Throws FORBIDDEN.
 */
export async function assertCovers(
  tx: Tx,
  caller: Caller,
  bounds: Bounds,
  { row, input }: { readonly row: KeyRow; readonly input: ApiKeyUpdate },
): Promise<void> {
  if (grantsNothing(input)) return;
  permissionsWithin(input.permissions ?? (await effectivePermissions(tx, caller, row)), bounds);
  const models = row.models_restricted ? row.allowed_models : null;
  modelsWithin(input.allowed_models === undefined ? models : input.allowed_models, bounds);
  rateWithin(
    input.requests_per_minute === undefined ? row.requests_per_minute : input.requests_per_minute,
    bounds,
  );
  const end = input.expires_at === undefined ? (row.expires_at?.toISOString() ?? null) : input.expires_at;
  if (bounds.expiresAt !== null && (end === null || Date.parse(end) > Date.parse(bounds.expiresAt)))
    throw exceeds("expires_at", "it is later than your own");
}

/** What a key is granted: what was requested, or what the caller has where nothing was. Throws FORBIDDEN. */
export async function grantWithin(
  tx: Tx,
  caller: Caller,
  bounds: Bounds,
  requested: RequestedKey,
): Promise<Omit<KeyGrant, "name" | "orgId" | "userId">> {
  return {
    permissions: permissionsWithin(requested.permissions ?? inferencePermissions, bounds),
    workspaceId: await workspaceWithin(tx, caller, requested.workspace_id, bounds),
    parentId: bounds.parentId,
    allowedModels: modelsWithin(requested.allowed_models, bounds),
    limit: limitWithin(requested.limit, bounds),
    limitReset: requested.limit == null ? null : (requested.limit_reset ?? null),
    includeByokInLimit: requested.include_byok_in_limit ?? bounds.includeByokInLimit,
    requestsPerMinute: rateWithin(requested.requests_per_minute, bounds),
    expiresAt: expiryWithin(requested.expires_at, bounds),
  };
}
