import { join } from "node:path";
import type { PoolConfig } from "pg";
import { startEmbedded } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { type Config, SettingsError } from "#server/platform/env.ts";
import type { Shutdown } from "#server/platform/shutdown.ts";

/** The embedded database when no other is named; its directory belongs to one process at a time. */
export async function connect(config: Config, shutdown: Shutdown): Promise<PoolConfig> {
  if (config.DATABASE_URL) return { connectionString: config.DATABASE_URL };
  const lock = lockDirectory(config.dataDir);
  if (!lock) {
    throw new SettingsError([
      `DATA_DIR ${config.dataDir} is in use by another Portolan process. Stop that one, or give this one its own DATA_DIR.`,
    ]);
  }
  shutdown.add("data directory", () => lock.release());
  const embedded = await startEmbedded(join(config.dataDir, "database"));
  shutdown.add("embedded database", () => embedded.close());
  return embedded.connection;
}
