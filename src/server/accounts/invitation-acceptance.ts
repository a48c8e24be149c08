import { type InvitationAcceptance, InvitationView } from "#contract/member.ts";
import { organisationSuspended, suspensionColumns, suspensionOf } from "#server/access/suspension.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { AppError } from "#server/platform/errors.ts";
import { createPerson, joinOrganisation, type OpenInvitation, stillHolds } from "./join.ts";
import { hashPassword } from "./password.ts";

/** The person of a session, whether or not they act for an organisation. */
export interface SignedInPerson {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
}

/** One message for all of these, so that a link reveals nothing. */
const gone = () =>
  new AppError("NOT_FOUND", "This invitation is unknown, used, withdrawn or expired. Ask for a new one.", {
    param: "token",
  });

const hasAccount = async ({ user }: Pick<Tx, "user">, email: string): Promise<boolean> =>
  (await user.count({ where: { email } })) > 0;

/**
 * Returns what the holder of a link may know before accepting. Whether the address has an account is shown only to
 * its owner. Throws NOT_FOUND, or ORGANISATION_SUSPENDED: the link works again when the organisation is resumed.
 */
export async function viewInvitation(
  database: Database,
  token: string,
  person: SignedInPerson | null = null,
): Promise<InvitationView> {
  const { prisma } = database;
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    select id from invitation where digest = ${sha256(token)} and expires_at > now()`;
  const row =
    rows[0] &&
    (await prisma.invitation.findUnique({
      where: { id: rows[0].id },
      include: { org: { select: { name: true, ...suspensionColumns } } },
    }));
  const suspension = row && suspensionOf(row.org);
  if (suspension) throw organisationSuspended(suspension);
  if (!row || !(await stillHolds(prisma, row))) throw gone();
  const { email, role, org, expires_at, mailed } = row;
  const isTheirs = mailed || person?.email === email;
  const has_account = isTheirs ? await hasAccount(prisma, email) : null;
  return InvitationView.parse({
    organisation: org.name,
    email,
    role,
    expires_at: expires_at.toISOString(),
    has_account,
  });
}

/** Deletes the invitation, so that it can be used once. A rollback restores it. */
async function redeem(tx: Tx, token: string): Promise<OpenInvitation> {
  const [invitation] = await tx.$queryRaw<OpenInvitation[]>`
    delete from invitation where digest = ${sha256(token)} and expires_at > now()
    returning id, org_id, email, role, mailed, invited_by, maker_id, by_operator`;
  if (!invitation || !(await stillHolds(tx, invitation))) throw gone();
  return invitation;
}

function assertSamePerson(person: SignedInPerson | null, userId: string, email: string): void {
  if (person === null) throw new AppError("UNAUTHORIZED", `Sign in as ${email} to accept this invitation`);
  if (person.userId === userId) return;
  throw new AppError("FORBIDDEN", `This invitation is for ${email}; you are signed in as ${person.email}`);
}

const required = (param: string) => new AppError("BAD_REQUEST", `${param}: is required`, { param });

/**
 * Joins by an invitation link: with the account of that address, signed in, or with a new account. A new account's
 * address counts as verified only if the link was mailed to it.
 */
export async function acceptInvitation(
  database: Database,
  person: SignedInPerson | null,
  { token, name, password }: InvitationAcceptance,
): Promise<{ email: string }> {
  // Checked before the password is hashed, because hashing is expensive.
  const { email } = await viewInvitation(database, token);
  const isNew = !(await hasAccount(database.prisma, email));
  if (isNew && name === undefined) throw required("name");
  if (isNew && password === undefined) throw required("password");
  const passwordHash = isNew && password !== undefined ? await hashPassword(password) : undefined;
  return database.transaction(async (tx) => {
    const invitation = await redeem(tx, token);
    const known = await tx.user.findUnique({ where: { email }, select: { id: true } });
    if (known) assertSamePerson(person, known.id, email);
    const userId =
      known?.id ??
      (await createPerson(tx, {
        email,
        name: name ?? email,
        emailVerified: invitation.mailed,
        ...(passwordHash !== undefined && { passwordHash }),
      }));
    const { org_id, role, id } = invitation;
    await joinOrganisation(tx, { userId, email }, { orgId: org_id, role, how: `invitation ${id}` });
    return { email };
  });
}
