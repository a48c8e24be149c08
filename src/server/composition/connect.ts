import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PoolConfig } from "pg";
import { startEmbedded } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { readEncryptionKey, writeEncryptionKey } from "#server/platform/encryption-key.ts";
import { type Config, SettingsError } from "#server/platform/env.ts";
import { Shutdown } from "#server/platform/shutdown.ts";

const databaseDirectory = ({ dataDir }: Config): string => join(dataDir, "database");

/** Whether an earlier start created a database in the data directory. */
export const hasEmbeddedDatabase = (config: Config): boolean =>
  !config.DATABASE_URL && existsSync(databaseDirectory(config));

/** Writes the generated key to its file before anything can be sealed with it. */
function storeEncryptionKey({ dataDir, encryptionKeys, unwrittenKeyFile }: Config): void {
  if (unwrittenKeyFile === null) return;
  if (readEncryptionKey(dataDir).unwrittenFile === null) {
    throw new SettingsError([`Another process wrote ${unwrittenKeyFile} at the same moment. Start again.`]);
  }
  writeEncryptionKey(encryptionKeys[0], unwrittenKeyFile);
}

/** Creates the data directory. Throws `SettingsError` if it is not writable. */
function openDataDirectory({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`DATA_DIR ${dataDir} is not writable: ${reason}`]);
  }
}

/** The embedded database, if no other is configured; its directory belongs to one process at a time. */
export async function connect(config: Config, shutdown: Shutdown): Promise<PoolConfig> {
  openDataDirectory(config);
  if (config.DATABASE_URL) return { connectionString: config.DATABASE_URL };
  const lock = lockDirectory(config.dataDir);
  if (!lock) {
    throw new SettingsError([
      `DATA_DIR ${config.dataDir} is in use by another Portolan process. Stop that one, or set another DATA_DIR.`,
    ]);
  }
  shutdown.add("data directory", () => lock.release());
  storeEncryptionKey(config);
  const embedded = await startEmbedded(databaseDirectory(config));
  shutdown.add("embedded database", () => embedded.close());
  return embedded.connection;
}

/** A database connection in progress, and how to close it. */
export interface Connecting {
  readonly connection: Promise<PoolConfig>;
  readonly shutdown: Shutdown;
}

/** Begins to connect. A failure rejects the returned promise. */
export function beginConnecting(config: Config, shutdown = new Shutdown()): Connecting {
  const connection = connect(config, shutdown);
  connection.catch(() => {});
  return { connection, shutdown };
}
