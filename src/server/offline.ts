import { operatorSystem } from "#server/accounts/index.ts";
import { signOnce } from "#server/audit/first-signing.ts";
import { auditPurpose } from "#server/audit/signature.ts";
import { type Database, followDatabaseClock, MigrationError, openDatabase } from "#server/db/index.ts";
import { type Config, loadConfig, SettingsError } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { connect } from "./composition/connect.ts";
import { migrateDatabase } from "./composition/storage.ts";

/**
 * Runs `work` on the installation's database without serving; the process exits with what it returns, or with 2
 * when the settings or the database are not in order.
 */
export async function offline(work: (database: Database, config: Config) => Promise<number>): Promise<void> {
  const shutdown = new Shutdown();
  try {
    const config = loadConfig();
    // Nobody waits for these: what takes long takes its time.
    const patient = { statement_timeout: limits.audit.statementTimeoutMs, query_timeout: 0 };
    const connection = { ...(await connect(config, shutdown)), ...patient };
    await migrateDatabase(connection, silentLog);
    const seal = createRowSeal(config.encryptionKeys, auditPurpose);
    const database = openDatabase(connection, createMetrics(), silentLog, seal);
    shutdown.add("database", () => database.close());
    shutdown.add("clock", await followDatabaseClock(database, silentLog));
    await signOnce({ database, dataDir: config.dataDir, log: silentLog, operator: operatorSystem });
    process.exitCode = await work(database, config);
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof MigrationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } finally {
    await shutdown.close(silentLog);
  }
}
