import type { Database } from "#server/db/index.ts";
import { purgeOldAttempts } from "./sign-in-throttle.ts";

/** Deletes expired sessions and one-time links, and attempts that no longer cause a wait. */
export async function purgeExpiredSessions(database: Database): Promise<void> {
  const { prisma } = database;
  await prisma.$executeRaw`delete from session where expires_at < now()`;
  await prisma.$executeRaw`delete from verification where expires_at < now()`;
  await purgeOldAttempts(database);
}
