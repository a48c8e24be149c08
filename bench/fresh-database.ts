import { firstStart } from "#server/composition/first-start.ts";
import { type Database, migrate, openDatabase } from "#server/db/index.ts";
import { loadConfig } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { testSeal } from "#test/seal.ts";
import { type Cluster, startCluster } from "#test/setup/postgres-cluster.ts";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";

export interface FreshDatabase {
  readonly cluster: Cluster;
  readonly database: Database;
  /** The organisation of a first start, and its only member. */
  readonly orgId: string;
  readonly userId: string;
  close(): Promise<void>;
}

/** A PostgreSQL of its own, as a first start leaves it, gone with `close`. */
export async function openFreshDatabase(): Promise<FreshDatabase> {
  const programs = postgresPrograms();
  if (!programs) throw new Error("There is no PostgreSQL on this machine");
  const cluster = await startCluster(programs);
  await migrate(cluster.server, silentLog);
  const database = openDatabase(cluster.server, createMetrics(), silentLog, testSeal);
  const config = loadConfig({
    NODE_ENV: "test",
    DATA_DIR: ".",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  });
  const first = await firstStart(database, cluster.server, config);
  await first?.finish();
  const { org_id: orgId, user_id: userId } = await database.prisma.member.findFirstOrThrow();
  const close = async () => {
    await database.close();
    await cluster.stop();
  };
  return { cluster, database, orgId, userId, close };
}
