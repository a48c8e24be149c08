import type { Database } from "#server/db/index.ts";
import { purgeOldAttempts } from "./sign-in-throttle.ts";

/** Deletes sessions and one-time links nobody can use any more, and attempts that make nobody wait. */
export async function purgeExpiredSessions(database: Database): Promise<void> {
  const { prisma } = database;
  await prisma.$executeRaw`delete from session where expires_at < now()`;
  await prisma.$executeRaw`delete from verification where expires_at < now()`;
  await purgeOldAttempts(database);
}
