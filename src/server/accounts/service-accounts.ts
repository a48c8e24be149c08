import { type ServiceAccount, type ServiceAccountCreate, ServiceAccount as Wire } from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { type Permission, permissionsOf } from "#server/access/permissions.ts";
import { changeConfiguration, changeRecords } from "#server/audit/change.ts";
import { type Database, readColumns, type Tx } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { assertMayGrantRole } from "./grantors.ts";
import { revokeMade } from "./revoke-made.ts";

const columns = (orgId: string) =>
  ({
    role: true,
    created_at: true,
    user: {
      select: {
        id: true,
        name: true,
        _count: { select: { api_keys: { where: { org_id: orgId, disabled: false } } } },
      },
    },
  }) satisfies Prisma.memberSelect;
type Row = Prisma.memberGetPayload<{ select: ReturnType<typeof columns> }>;

const toWire = ({ role, created_at, user }: Row): ServiceAccount =>
  Wire.parse({
    user_id: user.id,
    name: user.name,
    ...readColumns({ role }, { role: [Role, "viewer"] }),
    keys: user._count.api_keys,
    created_at: created_at.toISOString(),
  });

export async function listServiceAccounts(
  database: Database,
  caller: Authorized<"members:read", "organisation">,
): Promise<ServiceAccount[]> {
  const { orgId } = caller;
  const rows = await database.prisma.member.findMany({
    where: { org_id: orgId, user: { kind: "service" } },
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
    select: columns(orgId),
  });
  const accounts = rows.map(toWire);
  for (const { user_id, problem } of accounts)
    if (problem !== null) database.reportRow("member", user_id, problem);
  return accounts;
}

async function find(tx: Tx, orgId: string, userId: string): Promise<Row> {
  const row = await tx.member.findFirst({
    where: { org_id: orgId, user_id: userId, user: { kind: "service" } },
    select: columns(orgId),
  });
  if (!row) throw notFound("service account", "user_id");
  return row;
}

/** Makes a member without address or password. It has no more permissions than its maker, and is never an owner. */
export async function createServiceAccount(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  { name, role }: ServiceAccountCreate,
): Promise<ServiceAccount> {
  const userId = uuidv7();
  return changeRecords(database, caller, "service_account.create", async (tx) => {
    await assertMayGrantRole(tx, caller, role);
    await tx.user.create({ data: { id: userId, kind: "service", name } });
    await tx.member.create({ data: { org_id: caller.orgId, user_id: userId, role } });
    return {
      result: toWire(await find(tx, caller.orgId, userId)),
      audit: { id: userId, after: { name, role } },
    };
  });
}

/** Deletes a service account with its keys; their costs remain on record. */
export async function removeServiceAccount(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  userId: string,
): Promise<void> {
  await changeConfiguration(database, caller, "service_account.delete", async (tx) => {
    const before = await find(tx, caller.orgId, userId);
    await assertMayGrantRole(tx, caller, before.role);
    const where = { org_id: caller.orgId, user_id: userId };
    const keys = await tx.api_key.findMany({ where, select: { id: true } });
    await revokeMade(
      tx,
      caller,
      keys.map(({ id }) => id),
    );
    await tx.api_key.deleteMany({ where });
    await tx.user.delete({ where: { id: userId, kind: "service" } });
    return { result: undefined, audit: { id: userId, before: toWire(before) } };
  });
}

/** Returns the permissions of the service account's role, the maximum of its keys. Throws NOT_FOUND. */
export async function serviceAccountBounds(
  tx: Tx,
  caller: Authorized<"members:write", "organisation">,
  userId: string,
): Promise<ReadonlySet<Permission>> {
  return permissionsOf((await find(tx, caller.orgId, userId)).role);
}

/** Whether a caller's key belongs to a service account instead of a person. */
export async function isServiceAccount(tx: Tx, { userId }: Caller): Promise<boolean> {
  return (await tx.user.count({ where: { id: userId, kind: "service" } })) > 0;
}
