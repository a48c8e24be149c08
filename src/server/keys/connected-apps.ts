import type { Paging } from "#contract/common.ts";
import type { ConnectedApp } from "#contract/connected-app.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { revokeMade } from "#server/accounts/index.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { type Database, type Page, type RowWindow, readPage, type Tx } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { type KeyScope, keyScopeOf, visibleKeys } from "./key-access.ts";

interface AppRow {
  readonly host: string;
  readonly keys: number;
  readonly people: number;
  readonly used: string;
  readonly first_approved_at: Date;
  readonly last_approved_at: Date;
  readonly last_used: Date | null;
}

const toWire = ({ used, first_approved_at, last_approved_at, last_used, ...row }: AppRow): ConnectedApp => ({
  ...row,
  usage: numberFromPico(BigInt(used)),
  first_approved_at: first_approved_at.toISOString(),
  last_approved_at: last_approved_at.toISOString(),
  last_used: last_used?.toISOString() ?? null,
});

/** The applications behind the keys a caller can see, the one approved last first. */
export async function listConnectedApps(
  { prisma }: Database,
  caller: Authorized<"keys:read">,
  paging: Paging,
): Promise<Page<ConnectedApp>> {
  const { orgId, userId, workspaceId, keyId } = await keyScopeOf(prisma, caller);
  const rowsOf = ({ take, skip }: RowWindow) => prisma.$queryRaw<AppRow[]>`
      select app_host as host, count(*)::int as keys, count(distinct user_id)::int as people,
        coalesce(sum((select sum(cost_pico_eur) from key_usage where holder_id = api_key.id)), 0)::text as used,
        min(created_at) as first_approved_at, max(created_at) as last_approved_at, max(last_used_at) as last_used
      from api_key
      where org_id = ${orgId}::uuid and app_host is not null
        and (${userId}::uuid is null or user_id = ${userId}::uuid)
        and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid)
        and (${keyId}::uuid is null or id = ${keyId}::uuid or parent_id = ${keyId}::uuid)
      group by app_host
      order by max(created_at) desc, app_host
      limit ${take} offset ${skip}`;
  const where = { AND: [{ app_host: { not: null } }, await visibleKeys(prisma, caller)] };
  return readPage(paging, {
    rows: rowsOf,
    count: async () => (await prisma.api_key.groupBy({ by: ["app_host"], where })).length,
    toWire: (rows) => rows.map(toWire),
  });
}

/** Drops the codes an application has not exchanged yet: with one of them it would be back within minutes. */
async function dropCodes(
  tx: Tx,
  { orgId, userId, workspaceId, keyId }: KeyScope,
  host: string,
): Promise<void> {
  const open = await tx.authorization_code.findMany({
    where: {
      org_id: orgId,
      used_at: null,
      ...(userId && { user_id: userId }),
      ...(workspaceId && { workspace_id: workspaceId }),
      ...(keyId && { OR: [{ maker_id: keyId }, { parent_id: keyId }] }),
    },
    select: { id: true, callback_url: true },
  });
  const ids = open.flatMap(({ id, callback_url }) => (new URL(callback_url).host === host ? [id] : []));
  await tx.authorization_code.deleteMany({ where: { org_id: orgId, id: { in: ids }, used_at: null } });
}

/** Revokes for good every key of an application that the caller can see. Throws NOT_FOUND when there is none. */
export async function removeConnectedApp(
  database: Database,
  caller: Authorized<"keys:write">,
  host: string,
): Promise<void> {
  await changeConfiguration(database, caller, "connected_app.remove", async (tx) => {
    // Codes first: that waits for an exchange under way, whose key is then among those found.
    await dropCodes(tx, await keyScopeOf(tx, caller), host);
    const keys = await tx.api_key.findMany({
      where: { AND: [{ app_host: host }, await visibleKeys(tx, caller)] },
      select: { id: true, public_id: true, name: true, user_id: true },
    });
    if (keys.length === 0) throw notFound("connected app", "host");
    const ids = keys.map(({ id }) => id);
    await revokeMade(tx, caller, ids);
    await tx.api_key.deleteMany({ where: { org_id: caller.orgId, id: { in: ids } } });
    return {
      result: undefined,
      audit: {
        id: host,
        before: {
          keys: keys.map(({ id, public_id, name, user_id }) => ({ id, public_id, name, user_id })),
        },
      },
    };
  });
}
