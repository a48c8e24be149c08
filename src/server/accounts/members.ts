import type { Paging } from "#contract/common.ts";
import {
  type Member,
  MemberKind,
  Member as MemberOnWire,
  type MemberUpdate,
  type OrganisationPerson,
  type WorkspaceMember,
} from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { type Database, type Page, readColumns, readPage, type Tx } from "#server/db/index.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { assertMayGrantRole } from "./grantors.ts";
import { assertOwnerLeft, lockMembers } from "./roles.ts";
import { findWorkspace } from "./workspace-rows.ts";

const columns = {
  user_id: true,
  role: true,
  disabled: true,
  created_at: true,
  user: { select: { kind: true, name: true, email: true } },
} as const satisfies Prisma.memberSelect;
type Row = Prisma.memberGetPayload<{ select: typeof columns }>;

const toWire = ({ user, ...row }: Row): Member =>
  MemberOnWire.parse({
    ...row,
    ...user,
    ...readColumns({ ...row, ...user }, { role: [Role, "viewer"], kind: [MemberKind, "person"] }),
    created_at: row.created_at.toISOString(),
  });

const inOrderOfJoining = [
  { created_at: "asc" },
  { id: "asc" },
] satisfies Prisma.memberOrderByWithRelationInput[];

/** Returns all members of the caller's organisation, service accounts too, in the order they joined. */
export async function listMembers(
  database: Database,
  caller: Authorized<"members:read", "organisation">,
): Promise<Member[]> {
  const { orgId } = caller;
  const rows = await database.prisma.member.findMany({
    where: { org_id: orgId },
    orderBy: inOrderOfJoining,
    select: columns,
  });
  const members = rows.map(toWire);
  for (const { user_id, problem } of members)
    if (problem !== null) database.reportRow("member", user_id, problem);
  return members;
}

const administers = ({ role }: Row): boolean => role === "owner" || role === "admin";

/** Every member of the organisation, as members of a workspace of it. Throws NOT_FOUND for the workspace. */
export async function listWorkspaceMembers(
  { prisma }: Database,
  caller: Authorized<"members:read", "organisation">,
  { id, ...paging }: Paging & { readonly id: string },
): Promise<Page<WorkspaceMember>> {
  const workspace = await findWorkspace(prisma, caller, id);
  const where = { org_id: caller.orgId };
  return readPage(paging, {
    rows: (window) =>
      prisma.member.findMany({ where, select: columns, orderBy: inOrderOfJoining, ...window }),
    count: () => prisma.member.count({ where }),
    toWire: (rows) =>
      rows.map((row) => ({
        id: row.user_id,
        user_id: row.user_id,
        workspace_id: workspace.id,
        role: administers(row) ? "admin" : "member",
        created_at: row.created_at.toISOString(),
      })),
  });
}

/** The people of the caller's organisation, without service accounts, in the order they joined. */
export async function listOrganisationPeople(
  { prisma }: Database,
  caller: Authorized<"members:read", "organisation">,
  paging: Paging,
): Promise<Page<OrganisationPerson>> {
  const where = { org_id: caller.orgId, user: { kind: "person" } } satisfies Prisma.memberWhereInput;
  return readPage(paging, {
    rows: (window) =>
      prisma.member.findMany({ where, select: columns, orderBy: inOrderOfJoining, ...window }),
    count: () => prisma.member.count({ where }),
    toWire: (rows) =>
      rows.map((row) => ({
        id: row.user_id,
        email: row.user.email ?? "",
        first_name: row.user.name,
        last_name: null,
        role: administers(row) ? "org:admin" : "org:member",
      })),
  });
}

async function find(tx: Tx, { orgId }: Caller, userId: string): Promise<Row> {
  const where = { org_id: orgId, user_id: userId };
  return found(await tx.member.findFirst({ where, select: columns }), "member", "user_id");
}

/** Changes a member's role, or suspends the member: immediately, for sessions and keys alike. */
export async function updateMember(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  { user_id, role, disabled }: MemberUpdate,
): Promise<Member> {
  return changeConfiguration(database, caller, "member.update", async (tx) => {
    await lockMembers(tx, caller.orgId);
    const before = await find(tx, caller, user_id);
    await assertMayGrantRole(tx, caller, before.role);
    if (role !== undefined) await assertMayGrantRole(tx, caller, role);
    if (role === "owner" && before.user.kind === "service") {
      throw new AppError("BAD_REQUEST", "role: a service account cannot own an organisation", {
        param: "role",
      });
    }
    const after = await tx.member.update({
      where: { org_id_user_id: { org_id: caller.orgId, user_id } },
      data: { ...(role !== undefined && { role }), ...(disabled !== undefined && { disabled }) },
      select: columns,
    });
    await assertOwnerLeft(tx, caller.orgId);
    return { result: toWire(after), audit: { id: user_id, before: toWire(before), after: toWire(after) } };
  });
}

/** Returns what the audit log records of it. */
async function remove(tx: Tx, caller: Caller, row: Row) {
  const { orgId } = caller;
  const { user_id } = row;
  await tx.member.delete({ where: { org_id_user_id: { org_id: orgId, user_id } } });
  await assertOwnerLeft(tx, orgId);
  const keys = await tx.api_key.updateMany({
    where: { org_id: orgId, user_id, disabled: false },
    data: { disabled: true },
  });
  await tx.invitation.deleteMany({ where: { org_id: orgId, invited_by: user_id } });
  return { id: user_id, before: { ...toWire(row), keys_disabled: keys.count } };
}

/**
 * Ends a membership. The person's keys of this organisation are disabled, not deleted, so that their costs and names
 * remain visible. Other organisations of the person are not affected.
 */
export async function removeMember(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  userId: string,
): Promise<void> {
  await changeConfiguration(database, caller, "member.remove", async (tx) => {
    await lockMembers(tx, caller.orgId);
    const row = await find(tx, caller, userId);
    await assertMayGrantRole(tx, caller, row.role);
    if (row.user.kind === "service") {
      throw new AppError("BAD_REQUEST", "This is a service account; delete it at /service-accounts", {
        param: "user_id",
      });
    }
    return { result: undefined, audit: await remove(tx, caller, row) };
  });
}

/** The caller leaves the organisation they act for. Everybody may, except the last owner. */
export async function leaveOrganisation(
  database: Database,
  caller: Authorized<"members:read", "organisation">,
): Promise<void> {
  await changeConfiguration(database, caller, "member.remove", async (tx) => {
    await lockMembers(tx, caller.orgId);
    return { result: undefined, audit: await remove(tx, caller, await find(tx, caller, caller.userId)) };
  });
}
