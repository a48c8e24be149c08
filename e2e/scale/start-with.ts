import type { Database } from "#server/db/client.ts";
import { loadConfig } from "#server/platform/env.ts";
import { createLog } from "#server/platform/log.ts";
import { start } from "#server/start.ts";

interface Owner {
  readonly orgId: string;
  readonly userId: string;
}

/** The server as `npm start` runs it, over an installation that was filled by `fill` before. */
export async function startWith(fill: (database: Database, owner: Owner) => Promise<void>): Promise<void> {
  const settings = loadConfig();
  const log = createLog(settings.LOG_LEVEL);
  const first = await start({ ...settings, PORT: 0 }, log, () => {});
  const { database } = first.services;
  const { org_id: orgId, user_id: userId } = await database.prisma.member.findFirstOrThrow();
  await fill(database, { orgId, userId });
  await first.stop();

  // As a second process would: the first one has written the encryption key.
  const running = await start(loadConfig(), log, (text) => process.stdout.write(text));
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => void running.stop().finally(() => process.exit(0)));
}
