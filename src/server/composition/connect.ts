import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PoolConfig } from "pg";
import { startEmbedded } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { readEncryptionKey, writeEncryptionKey } from "#server/platform/encryption-key.ts";
import { type Config, SettingsError } from "#server/platform/env.ts";
import { Shutdown } from "#server/platform/shutdown.ts";

const databaseDirectory = ({ dataDir }: Config): string => join(dataDir, "database");

/** Whether an earlier start made a database in the data directory. */
export const hasEmbeddedDatabase = (config: Config): boolean =>
  !config.DATABASE_URL && existsSync(databaseDirectory(config));

/** Writes the key that these settings made, before anything can be sealed with it. */
function storeEncryptionKey({ dataDir, encryptionKeys, unwrittenKeyFile }: Config): void {
  if (unwrittenKeyFile === null) return;
  if (readEncryptionKey(dataDir).unwrittenFile === null) {
    throw new SettingsError([`Another process made ${unwrittenKeyFile} at the same moment. Start again.`]);
  }
  writeEncryptionKey(encryptionKeys[0], unwrittenKeyFile);
}

/** Makes the data directory. Throws `SettingsError` when it cannot be written to. */
function openDataDirectory({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`DATA_DIR ${dataDir} cannot be written to: ${reason}`]);
  }
}

/** The embedded database when no other is named; its directory belongs to one process at a time. */
export async function connect(config: Config, shutdown: Shutdown): Promise<PoolConfig> {
  openDataDirectory(config);
  if (config.DATABASE_URL) return { connectionString: config.DATABASE_URL };
  const lock = lockDirectory(config.dataDir);
  if (!lock) {
    throw new SettingsError([
      `DATA_DIR ${config.dataDir} is in use by another Portolan process. Stop that one, or give this one its own DATA_DIR.`,
    ]);
  }
  shutdown.add("data directory", () => lock.release());
  storeEncryptionKey(config);
  const embedded = await startEmbedded(databaseDirectory(config));
  shutdown.add("embedded database", () => embedded.close());
  return embedded.connection;
}

/** A database that is on its way, and what closes it. */
export interface Connecting {
  readonly connection: Promise<PoolConfig>;
  readonly shutdown: Shutdown;
}

/** Begins to connect. Who waits for the connection hears of it when that fails. */
export function beginConnecting(config: Config, shutdown = new Shutdown()): Connecting {
  const connection = connect(config, shutdown);
  connection.catch(() => {});
  return { connection, shutdown };
}
