import type { Profile } from "#contract/profile.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { notFound } from "#server/platform/errors.ts";
import { auditPerson } from "./audit-person.ts";
import type { SignedInPerson } from "./invitation-acceptance.ts";

/** Returns a person's own account with all active sessions. */
export async function profileOf(database: Database, person: SignedInPerson): Promise<Profile> {
  const user = await database.prisma.user.findUniqueOrThrow({
    where: { id: person.userId },
    select: {
      name: true,
      accounts: { where: { provider_id: "credential" }, select: { id: true } },
      sessions: { where: { expires_at: { gt: isoTime(clock.nowMs()) } }, orderBy: { updated_at: "desc" } },
    },
  });
  return {
    name: user.name,
    email: person.email,
    has_password: user.accounts.length > 0,
    sessions: user.sessions.map(({ id, user_agent, ip_address, created_at, updated_at }) => ({
      id,
      current: id === person.sessionId,
      user_agent,
      ip_address,
      created_at: created_at.toISOString(),
      updated_at: updated_at.toISOString(),
    })),
  };
}

export async function renamePerson(database: Database, person: SignedInPerson, name: string): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.user.update({ where: { id: person.userId }, data: { name } });
    await auditPerson(tx, person.userId, "person.rename");
  });
}

/** Ends one of the person's own sessions. Throws NOT_FOUND for other people's sessions. */
export async function endSession(database: Database, person: SignedInPerson, id: string): Promise<void> {
  await database.transaction(async (tx) => {
    const { count } = await tx.session.deleteMany({ where: { id, user_id: person.userId } });
    if (count === 0) throw notFound("session", "id");
    await auditPerson(tx, person.userId, "person.session_end");
  });
}

/** Ends all sessions of the person, including the current one. */
export async function endAllSessions(database: Database, person: SignedInPerson): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.session.deleteMany({ where: { user_id: person.userId } });
    await auditPerson(tx, person.userId, "person.sign_out_everywhere");
  });
}

/** Makes the session act for this organisation. Throws NOT_FOUND if the person is not a member of it. */
export async function switchOrganisation(
  database: Database,
  person: SignedInPerson,
  orgId: string,
): Promise<void> {
  const { prisma } = database;
  const mine = await prisma.member.count({
    where: { org_id: orgId, user_id: person.userId, disabled: false },
  });
  if (mine === 0) throw notFound("organisation", "org_id");
  await prisma.session.updateMany({
    where: { id: person.sessionId, user_id: person.userId },
    data: { active_org_id: orgId },
  });
}
