// npm run audit:verify: walks the audit log's chains and exits with 1 when a row does not hold.
import { verifyAudit } from "#server/audit/verify.ts";
import { MigrationError, migrate, openDatabase } from "#server/db/index.ts";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { connect } from "./connect.ts";

const shutdown = new Shutdown();
try {
  const connection = await connect(loadConfig(), shutdown);
  await migrate(connection);
  const database = openDatabase(connection, createMetrics(), silentLog);
  shutdown.add("database", () => database.close());
  const { organisations, rows, broken } = await verifyAudit(database);
  for (const { orgId, position, problem } of broken) {
    process.stdout.write(`Broken: organisation ${orgId}, row ${position}: ${problem}\n`);
  }
  process.stdout.write(`${rows} rows of ${organisations} organisations hold.\n`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof MigrationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  await shutdown.close(silentLog);
}
