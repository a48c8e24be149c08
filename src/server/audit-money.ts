// npm run audit:money: checks that every cent is where the records say, and exits with 1 when one is not.
import { parseArgs } from "node:util";
import { auditMoney, unbookedGenerations } from "#server/billing/index.ts";
import { MigrationError, migrate, openDatabase } from "#server/db/index.ts";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { connect } from "./connect.ts";

const shutdown = new Shutdown();
try {
  const { values } = parseArgs({ options: { quiescent: { type: "boolean", default: false } } });
  const config = loadConfig();
  const connection = await connect(config, shutdown);
  await migrate(connection);
  const database = openDatabase(connection, createMetrics(), silentLog);
  shutdown.add("database", () => database.close());
  const findings = await auditMoney(database, values);
  const spooled = await unbookedGenerations(database, config.dataDir);
  const waiting = values.quiescent && spooled > 0;
  for (const { invariant, broken, examples } of findings) {
    process.stdout.write(
      broken === 0
        ? `holds   ${invariant}\n`
        : `BROKEN  ${invariant}: ${broken}, such as ${examples.join(", ")}\n`,
    );
  }
  process.stdout.write(`${waiting ? "BROKEN " : "       "} ${spooled} generations are in the spool only\n`);
  process.exitCode = waiting || findings.some(({ broken }) => broken > 0) ? 1 : 0;
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof MigrationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  await shutdown.close(silentLog);
}
