import type { Caller } from "#server/access/caller.ts";
import type { Database } from "#server/db/client.ts";
import { AppError } from "#server/platform/errors.ts";

export interface AccountIdentity {
  /** null for a service account. */
  readonly email: string | null;
  readonly orgName: string;
  readonly plan: string;
}

/** Returns the person and the organisation a caller acts for. Throws NOT_FOUND if either was deleted. */
export async function identityOf(database: Database, caller: Caller): Promise<AccountIdentity> {
  const [user, organisation] = await Promise.all([
    database.prisma.user.findUnique({ where: { id: caller.userId }, select: { email: true } }),
    database.prisma.organisation.findUnique({
      where: { id: caller.orgId },
      select: { name: true, plan: true },
    }),
  ]);
  if (!user || !organisation) throw new AppError("NOT_FOUND", "The account of this key is gone");
  return { email: user.email, orgName: organisation.name, plan: organisation.plan };
}
