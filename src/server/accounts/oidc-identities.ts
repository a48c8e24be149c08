import type { Database, Tx } from "#server/db/index.ts";
import type { Config } from "#server/platform/env.ts";
import { auditPerson } from "./audit-person.ts";
import { createPerson, joinOrganisation, type OpenInvitation, stillHolds } from "./join.ts";

const providerId = "oidc";

/** A person as identified by the ID token of the OpenID Connect provider. */
export interface OidcIdentity {
  /** Unique over all providers: the issuer and its identifier of the person. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** Why a valid identity is refused; the sign-in page has a text for each reason. */
type Refusal = "email_unverified" | "not_invited";

async function openInvitations(tx: Tx, email: string): Promise<OpenInvitation[]> {
  const rows = await tx.$queryRaw<OpenInvitation[]>`
    select id, org_id, email, role, mailed, invited_by, maker_id, by_operator from invitation
    where email = ${email} and expires_at > now() order by id for update`;
  const holding: OpenInvitation[] = [];
  for (const row of rows) if (await stillHolds(tx, row)) holding.push(row);
  return holding;
}

async function acceptAll(tx: Tx, userId: string, email: string, open: readonly OpenInvitation[]) {
  for (const { id, org_id, role } of open) {
    await tx.invitation.delete({ where: { id } });
    await joinOrganisation(tx, { userId, email }, { orgId: org_id, role, how: `invitation ${id}` });
  }
}

/** An installation that is open to all people of the provider adds them to its first organisation. */
async function joinFirst(tx: Tx, userId: string, email: string): Promise<void> {
  if ((await tx.member.count({ where: { user_id: userId } })) > 0) return;
  const first = await tx.organisation.findFirst({
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
    select: { id: true },
  });
  if (first) {
    const how = "OIDC_SIGN_UP=open";
    await joinOrganisation(tx, { userId, email }, { orgId: first.id, role: "member", how });
  }
}

/**
 * Links the identity to the account with its address. A password set for an unverified address is deleted with its
 * sessions, because the address is now verified for this person.
 */
async function link(tx: Tx, user: { id: string; email_verified: boolean }, subject: string): Promise<void> {
  if (!user.email_verified) {
    await tx.account.deleteMany({ where: { user_id: user.id, provider_id: "credential" } });
    await tx.session.deleteMany({ where: { user_id: user.id } });
    await tx.user.update({ where: { id: user.id }, data: { email_verified: true } });
  }
  await tx.account.create({ data: { account_id: subject, provider_id: providerId, user_id: user.id } });
  await auditPerson(tx, user.id, "person.identity_linked");
}

/**
 * Returns the person of an identity of the OpenID Connect provider: found by its subject, else by its address, else
 * by an invitation, else created if the installation is open. An unverified address is ignored, but does not stop a
 * person whose subject is known.
 */
export async function admitIdentity(
  database: Database,
  { subject, email, emailVerified, name }: OidcIdentity,
  signUp: Config["OIDC_SIGN_UP"],
): Promise<{ userId: string } | { refusal: Refusal }> {
  return database.transaction(async (tx) => {
    const bound = await tx.account.findUnique({
      where: { provider_id_account_id: { provider_id: providerId, account_id: subject } },
      select: { user: { select: { id: true, email: true } } },
    });
    if (!bound && !emailVerified) return { refusal: "email_unverified" };
    const open = emailVerified ? await openInvitations(tx, email) : [];
    if (bound) {
      if (bound.user.email === email) await acceptAll(tx, bound.user.id, email, open);
      return { userId: bound.user.id };
    }
    const known = await tx.user.findUnique({ where: { email }, select: { id: true, email_verified: true } });
    if (!known && open.length === 0 && signUp !== "open") return { refusal: "not_invited" };
    const user = known ?? {
      id: await createPerson(tx, { email, name: name ?? email, emailVerified: true }),
      email_verified: true,
    };
    await acceptAll(tx, user.id, email, open);
    if (signUp === "open") await joinFirst(tx, user.id, email);
    await link(tx, user, subject);
    return { userId: user.id };
  });
}
