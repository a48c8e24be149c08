import type {
  ApiKey,
  ApiKeyCreate,
  ApiKeyListQuery,
  ApiKeyUpdate,
  CreatedKey,
  KeyInfo,
} from "#contract/key.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { resetChange, revokeMade, serviceAccountBounds } from "#server/accounts/index.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { containing, type Database, newestFirst, type Page, readPage, type Tx } from "#server/db/index.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { readKeySpending, unspent } from "./effective-limits.ts";
import { isKeyOfInstallation, mintKey } from "./format.ts";
import { storeKey } from "./issue.ts";
import { assertCovers, type Bounds, boundsOf, grantWithin, visibleKeys } from "./key-access.ts";
import { type KeyRow, keyColumns, toInfo, toWire } from "./key-rows.ts";

async function findVisible(tx: Tx, caller: Caller, hash: string): Promise<KeyRow> {
  const where = { AND: [{ public_id: hash }, await visibleKeys(tx, caller)] };
  return found(await tx.api_key.findFirst({ where, select: keyColumns }), "API key", "hash");
}

async function shown(tx: Tx, { orgId }: Caller, row: KeyRow): Promise<ApiKey> {
  return toWire(row, (await readKeySpending(tx, orgId, [row]))(row));
}

/** The keys a caller can see, newest first, with what they have cost. */
export async function listKeys(
  database: Database,
  caller: Authorized<"keys:read">,
  query: ApiKeyListQuery,
): Promise<Page<ApiKey>> {
  const { prisma } = database;
  const where: Prisma.api_keyWhereInput = {
    AND: [
      await visibleKeys(prisma, caller),
      query.include_disabled ? {} : { disabled: false },
      query.workspace_id === undefined ? {} : { workspace_id: query.workspace_id },
      query.app_host === undefined ? {} : { app_host: query.app_host },
    ],
  };
  return readPage(query, {
    rows: (window) => prisma.api_key.findMany({ where, select: keyColumns, orderBy: newestFirst, ...window }),
    count: () => prisma.api_key.count({ where }),
    async toWire(rows) {
      const spendingOf = await readKeySpending(prisma, caller.orgId, rows);
      return rows.map((row) => toWire(row, spendingOf(row)));
    },
  });
}

/** What the keys a caller can see are called, disabled ones too, newest first. */
export async function nameKeys(
  { prisma }: Database,
  caller: Authorized<"keys:read">,
): Promise<{ id: string; name: string }[]> {
  return prisma.api_key.findMany({
    where: await visibleKeys(prisma, caller),
    select: { id: true, name: true },
    orderBy: newestFirst,
    take: limits.lists.rowsMax,
  });
}

/** Keys whose name contains a text, newest first, with the hash as ID. */
export async function findKeys(
  { prisma }: Database,
  caller: Authorized<"keys:read">,
  text: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  const rows = await prisma.api_key.findMany({
    where: { AND: [await visibleKeys(prisma, caller), { name: containing(text) }] },
    select: { public_id: true, name: true },
    orderBy: newestFirst,
    take: limit,
  });
  return rows.map(({ public_id, name }) => ({ id: public_id, name }));
}

export async function getKey(
  database: Database,
  caller: Authorized<"keys:read">,
  hash: string,
): Promise<ApiKey> {
  return shown(database.prisma, caller, await findVisible(database.prisma, caller, hash));
}

/** What the key of a request may do and has spent. Throws FORBIDDEN for a person, who has no key. */
export async function describeKey(database: Database, caller: Caller, perMinute: number): Promise<KeyInfo> {
  if (caller.kind !== "key") throw new AppError("FORBIDDEN", "Only an API key can ask about itself");
  const where = { id: caller.keyId, org_id: caller.orgId };
  const row = found(await database.prisma.api_key.findFirst({ where, select: keyColumns }), "API key");
  const spending = await readKeySpending(database.prisma, caller.orgId, [row]);
  return toInfo(row, spending(row), caller.orgId, perMinute);
}

/**
 * The bounds of a caller who makes a key for a service account, whose role bounds it besides. That takes a permission of
 * its own, for the whole organisation: service accounts belong to it. Throws FORBIDDEN without.
 */
async function withinAccount(tx: Tx, caller: Caller, userId: string, own: Bounds): Promise<Bounds> {
  const organisationWide = authorize(caller, "members:write", "organisation");
  const permissions = await serviceAccountBounds(tx, organisationWide, userId);
  return { ...own, permissions: new Set([...own.permissions].filter((each) => permissions.has(each))) };
}

/**
 * Makes a key within the bounds of its maker. The plain text is in the answer and nowhere else. `given` is a key that
 * was minted before, for an installation that is to have the keys of another one.
 */
export async function createKey(
  database: Database,
  caller: Authorized<"keys:write">,
  prefix: string,
  input: ApiKeyCreate,
  given?: string,
): Promise<CreatedKey> {
  if (given !== undefined && !isKeyOfInstallation(given, prefix)) {
    const message = `secret: must be a complete API key that begins with ${prefix}_`;
    throw new AppError("BAD_REQUEST", message, { param: "secret" });
  }
  const key = given ?? mintKey(prefix);
  return database.transaction(async (tx) => {
    const own = await boundsOf(tx, caller);
    const owner = input.service_account_id;
    const bounds = owner ? await withinAccount(tx, caller, owner, own) : own;
    const grant = await grantWithin(tx, caller, bounds, input);
    const { orgId } = caller;
    const { name, disabled } = input;
    const userId = owner ?? caller.userId;
    const id = await storeKey(tx, caller, key, prefix, { ...grant, name, disabled, orgId, userId });
    const row = await tx.api_key.findFirstOrThrow({ where: { id, org_id: orgId }, select: keyColumns });
    return { data: await shown(tx, caller, row), key };
  });
}

/** Only what was sent changes, and only within the caller's bounds. */
async function changes(tx: Tx, caller: Caller, row: KeyRow, input: ApiKeyUpdate) {
  const { name, disabled, permissions, allowed_models, limit, expires_at } = input;
  const { include_byok_in_limit, requests_per_minute, workspace_id } = input;
  const bounds = await boundsOf(tx, caller);
  await assertCovers(tx, caller, bounds, { row, input });
  const grant = await grantWithin(tx, caller, bounds, {
    permissions: permissions ?? [],
    allowed_models: allowed_models === undefined ? [] : allowed_models,
    workspace_id,
    limit,
    requests_per_minute,
    expires_at,
  });
  return {
    ...(name !== undefined && { name }),
    ...(disabled !== undefined && { disabled }),
    ...(workspace_id !== undefined && { workspace_id: grant.workspaceId ?? null }),
    ...(permissions !== undefined && { permissions: [...grant.permissions] }),
    ...(allowed_models !== undefined && {
      models_restricted: allowed_models !== null,
      allowed_models: allowed_models ?? [],
    }),
    ...(limit !== undefined && { limit_pico_eur: grant.limit?.toString() ?? null }),
    ...resetChange(row, input),
    ...(include_byok_in_limit !== undefined && { include_byok_in_limit }),
    ...(requests_per_minute !== undefined && { requests_per_minute: grant.requestsPerMinute ?? null }),
    ...(expires_at !== undefined && { expires_at: grant.expiresAt ?? null }),
  } satisfies Prisma.api_keyUncheckedUpdateInput;
}

function assertAnotherKey(caller: Caller, row: KeyRow, what: string): void {
  if (caller.kind !== "key" || caller.keyId !== row.id) return;
  throw new AppError("FORBIDDEN", `A key cannot ${what} itself; use another key or the console`);
}

export async function updateKey(
  database: Database,
  caller: Authorized<"keys:write">,
  input: ApiKeyUpdate,
): Promise<ApiKey> {
  return changeConfiguration(database, caller, "api_key.update", async (tx) => {
    const before = await findVisible(tx, caller, input.hash);
    assertAnotherKey(caller, before, "change");
    const data = await changes(tx, caller, before, input);
    const after = await tx.api_key.update({
      where: { id: before.id, org_id: caller.orgId },
      data,
      select: keyColumns,
    });
    return {
      result: await shown(tx, caller, after),
      audit: {
        id: before.id,
        before: toWire(before, unspent(before)),
        after: toWire(after, unspent(after)),
      },
    };
  });
}

/** Revokes a key for good, and with it what it made: keys, open invitations and codes. */
export async function removeKey(
  database: Database,
  caller: Authorized<"keys:write">,
  hash: string,
): Promise<void> {
  await changeConfiguration(database, caller, "api_key.delete", async (tx) => {
    const before = await findVisible(tx, caller, hash);
    await revokeMade(tx, caller, [before.id]);
    await tx.api_key.delete({ where: { id: before.id, org_id: caller.orgId } });
    return { result: undefined, audit: { id: before.id, before: toWire(before, unspent(before)) } };
  });
}
