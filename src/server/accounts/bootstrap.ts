import { record } from "#server/audit/record.ts";
import type { Caller } from "#server/auth/caller.ts";
import { hashPassword } from "#server/auth/password.ts";
import type { Database, Tx } from "#server/db/client.ts";
import type { Config } from "#server/platform/env.ts";
import { randomBase62, uuidv7 } from "#server/platform/ids.ts";

export interface FirstAdministrator {
  readonly orgId: string;
  readonly userId: string;
  /** The program itself, acting for the new organisation: for what else the first start writes. */
  readonly caller: Caller;
}

export interface Bootstrapped<T> extends FirstAdministrator {
  readonly email: string;
  /** What to print once: null when the operator chose the password. */
  readonly generatedPassword: string | null;
  readonly furnished: T;
}

/** Processes that start at once on an empty database take turns by this lock. */
const bootstrapLock = 7_261_145_523;

async function writeAccount(tx: Tx, email: string, passwordHash: string): Promise<FirstAdministrator> {
  const [orgId, userId] = [uuidv7(), uuidv7()];
  const caller: Caller = { kind: "system", orgId, userId, permissions: new Set() };
  await tx.organisation.create({ data: { id: orgId, name: "My organisation", slug: "my-organisation" } });
  await tx.user.create({ data: { id: userId, name: "Administrator", email, email_verified: true } });
  await tx.account.create({
    data: { account_id: userId, provider_id: "credential", user_id: userId, password: passwordHash },
  });
  await tx.member.create({ data: { org_id: orgId, user_id: userId, role: "owner" } });
  await record(tx, caller, {
    action: "organisation.create",
    subject: { type: "organisation", id: orgId },
    after: { name: "My organisation", owner: email },
  });
  return { orgId, userId, caller };
}

/** Under a domain that is kept for private use, so that it is an address to whoever checks one. */
const usualEmail = "admin@portolan.internal";

/**
 * Makes the first person and organisation when the database has no person yet, else returns null.
 * `furnish` runs in the same transaction: credit and an API key appear with the organisation or not at all.
 */
export async function createFirstAdministrator<T>(
  database: Database,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: Pick<Config, "ADMIN_EMAIL" | "ADMIN_PASSWORD">,
  furnish: (tx: Tx, administrator: FirstAdministrator) => Promise<T>,
): Promise<Bootstrapped<T> | null> {
  if ((await database.prisma.user.findFirst({ select: { id: true } })) !== null) return null;
  const email = (ADMIN_EMAIL ?? usualEmail).toLowerCase();
  const password = ADMIN_PASSWORD ?? randomBase62(20);
  const passwordHash = await hashPassword(password);
  return database.transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(${bootstrapLock}::bigint)`;
    if ((await tx.user.findFirst({ select: { id: true } })) !== null) return null;
    const administrator = await writeAccount(tx, email, passwordHash);
    const furnished = await furnish(tx, administrator);
    return { ...administrator, email, generatedPassword: ADMIN_PASSWORD ? null : password, furnished };
  });
}
