import type { PoolConfig } from "pg";
import { auditPurpose } from "#server/audit/signature.ts";
import {
  connectionProblem,
  type Database,
  followDatabaseClock,
  migrate,
  openDatabase,
  type ReadReports,
  Replica,
  readingFrom,
} from "#server/db/index.ts";
import { openQueue, type Queue } from "#server/jobs/queue.ts";
import { SettingsError } from "#server/platform/env.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import type { Opening } from "./opening.ts";

export interface Storage {
  readonly connection: PoolConfig;
  readonly database: Database;
  readonly reports: ReadReports;
  readonly queue: Queue;
}

/** Migrates the database. Throws `MigrationError`, and `SettingsError` if it cannot be reached. */
export async function migrateDatabase(
  connection: PoolConfig,
  log: Opening["log"],
  signal?: AbortSignal,
): Promise<void> {
  try {
    const applied = await migrate(connection, log, signal);
    if (applied.length > 0) log.info({ event: "migrate", count: applied.length }, "Migrations were applied");
  } catch (error) {
    const problem = connectionProblem(error, connection);
    throw problem === null ? error : new SettingsError([`DATABASE_URL: ${problem}`]);
  }
}

/** The replica for reports, if there is one. It may be unavailable: the primary is read then. */
function openReports(
  { config, log, metrics, shutdown }: Pick<Opening, "config" | "log" | "metrics" | "shutdown">,
  primary: Database,
): ReadReports {
  if (config.DATABASE_READ_URL === undefined) return readingFrom(primary);
  const connection = { connectionString: config.DATABASE_READ_URL };
  const replica = openDatabase(connection, metrics, log, null, { failsFast: true });
  const reports = new Replica({ primary, replica, log, metrics });
  shutdown.add("replica", () => reports.close());
  void reports.check();
  return reports.read;
}

/** Migrates, and opens the database and the job queue in it. */
export async function openStorage(
  { config, log, metrics, shutdown }: Opening,
  connection: PoolConfig,
  signal?: AbortSignal,
): Promise<Storage> {
  await migrateDatabase(connection, log, signal);
  const seal = createRowSeal(config.encryptionKeys, auditPurpose);
  // The embedded database answers one statement at a time, so a missing answer does not mean that it is unavailable.
  const failsFast = config.DATABASE_URL !== undefined;
  const database = openDatabase(connection, metrics, log, seal, { failsFast });
  shutdown.add("database", () => database.close());
  shutdown.add("clock", await followDatabaseClock(database, log));
  const reports = openReports({ config, log, metrics, shutdown }, database);
  const queue = await openQueue(connection, database, log);
  shutdown.add("job queue", () => queue.close());
  return { connection, database, reports, queue };
}
