import {
  type Invitation,
  type InvitationCreate,
  type SentInvitation,
  Invitation as Wire,
} from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Database, readColumns, reporting, type Tx } from "#server/db/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { assertMayGrantRole, storedGrantor } from "./grantors.ts";
import type { Notifications } from "./notifications.ts";
import { lockMembers } from "./roles.ts";

const columns = {
  id: true,
  email: true,
  role: true,
  created_at: true,
  expires_at: true,
} as const satisfies Prisma.invitationSelect;
type Row = Prisma.invitationGetPayload<{ select: typeof columns }>;

const toWire = (row: Row): Invitation =>
  Wire.parse({
    ...row,
    ...readColumns(row, { role: [Role, "viewer"] }),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  });

interface InvitationDeps {
  readonly database: Database;
  readonly notifications: Notifications;
}

/** The pending invitations of the caller's organisation, newest first; expired ones too. */
export async function listInvitations(
  database: Database,
  caller: Authorized<"members:read", "organisation">,
): Promise<Invitation[]> {
  const { orgId } = caller;
  const rows = await database.prisma.invitation.findMany({
    where: { org_id: orgId },
    orderBy: [{ created_at: "desc" }, { id: "desc" }],
    select: columns,
  });
  return reporting(database.reportRow, "invitation", rows.map(toWire));
}

async function find(tx: Tx, { orgId }: Caller, id: string): Promise<Row> {
  const row = await tx.invitation.findFirst({ where: { id, org_id: orgId }, select: columns });
  if (!row) throw notFound("invitation", "id");
  return row;
}

/** Sets a new token, with a new expiry by the database's clock, and sends it. The previous token stops working. */
async function renew(
  tx: Tx,
  orgId: string,
  id: string,
  notifications: Notifications,
): Promise<SentInvitation> {
  const token = randomToken(32);
  const seconds = limits.invitations.lifetimeMs / 1000;
  await tx.$executeRaw`
    update invitation set digest = ${sha256(token)}, mailed = ${notifications.byMail},
      expires_at = now() + make_interval(secs => ${seconds}) where id = ${id}::uuid and org_id = ${orgId}::uuid`;
  const row = await tx.invitation.findFirstOrThrow({
    where: { id, org_id: orgId },
    select: { ...columns, org: { select: { name: true } } },
  });
  const { org, ...own } = row;
  const invitation = toWire(own);
  return {
    data: invitation,
    link: await notifications.invite(tx, { invitation, organisation: org.name, token }),
  };
}

interface Asked {
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  /** The caller belongs to the organisation that runs the installation, not to this one. */
  readonly byOperator?: true;
}

/**
 * Writes an invitation, replacing a pending one, and sends it. The caller checks permissions before, under
 * `lockMembers`, and writes the audit row. Throws CONFLICT for a member.
 */
export async function putInvitation(
  tx: Tx,
  notifications: Notifications,
  caller: Caller,
  { orgId, email, role, byOperator }: Asked,
): Promise<SentInvitation> {
  const member = await tx.member.count({ where: { org_id: orgId, user: { email } } });
  if (member > 0) throw new AppError("CONFLICT", "email: is a member already", { param: "email" });
  const fresh = {
    role,
    invited_by: caller.userId,
    maker_id: storedGrantor(caller).keyId,
    by_operator: byOperator ?? false,
  };
  const { id } = await tx.invitation.upsert({
    where: { org_id_email: { org_id: orgId, email } },
    create: {
      ...fresh,
      org_id: orgId,
      email,
      digest: sha256(randomToken(32)),
      expires_at: "1970-01-01T00:00:00.000Z",
    },
    update: fresh,
    select: { id: true },
  });
  return renew(tx, orgId, id, notifications);
}

/**
 * Invites an address. Inviting it again replaces the earlier invitation, which requires the permission to send that
 * one. Throws CONFLICT for a member, FORBIDDEN for a role beyond the caller's permissions.
 */
export async function createInvitation(
  { database, notifications }: InvitationDeps,
  caller: Authorized<"members:write", "organisation">,
  { email, role }: InvitationCreate,
): Promise<SentInvitation> {
  const sent = await changeRecords(database, caller, "invitation.create", async (tx) => {
    await lockMembers(tx, caller.orgId);
    await assertMayGrantRole(tx, caller, role);
    const place = { org_id_email: { org_id: caller.orgId, email } };
    const open = await tx.invitation.findUnique({ where: place, select: { role: true } });
    if (open) await assertMayGrantRole(tx, caller, open.role);
    const made = await putInvitation(tx, notifications, caller, { orgId: caller.orgId, email, role });
    return { result: made, audit: { id: made.data.id, after: made.data } };
  });
  notifications.post();
  return sent;
}

/** Makes a new link for an invitation; the earlier one stops working. */
export async function resendInvitation(
  { database, notifications }: InvitationDeps,
  caller: Authorized<"members:write", "organisation">,
  id: string,
): Promise<SentInvitation> {
  const sent = await changeRecords(database, caller, "invitation.resend", async (tx) => {
    const before = await find(tx, caller, id);
    await assertMayGrantRole(tx, caller, before.role);
    const made = await renew(tx, caller.orgId, id, notifications);
    return { result: made, audit: { id, after: made.data } };
  });
  notifications.post();
  return sent;
}

export async function revokeInvitation(
  database: Database,
  caller: Authorized<"members:write", "organisation">,
  id: string,
): Promise<void> {
  await changeRecords(database, caller, "invitation.delete", async (tx) => {
    const before = await find(tx, caller, id);
    await assertMayGrantRole(tx, caller, before.role);
    await tx.invitation.delete({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: toWire(before) } };
  });
}
