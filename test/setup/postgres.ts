import { randomBytes } from "node:crypto";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { type Cluster, startCluster } from "./postgres-cluster.ts";
import { postgresPrograms } from "./postgres-programs.ts";
import "./provided.ts";

const localHosts = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Tests create and drop databases: only a server on this machine may be named for that. */
function namedServer(url: string): Pick<Cluster, "server" | "stop"> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  if (!localHosts.has(host) && !host.startsWith("/")) {
    throw new Error(
      `TEST_DATABASE_URL names ${host || "no host"}; tests only touch a PostgreSQL on this machine`,
    );
  }
  return { server: { host, port, user, password, database }, stop: async () => {} };
}

async function serverForTests(): Promise<Pick<Cluster, "server" | "stop">> {
  if (process.env.TEST_DATABASE_URL) return namedServer(process.env.TEST_DATABASE_URL);
  const programs = postgresPrograms();
  if (!programs) throw new Error("There is no PostgreSQL on this machine and no TEST_DATABASE_URL");
  return startCluster(programs);
}

/** A cluster of our own, or the named local one, with a migrated template each test file copies. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { server, stop } = await serverForTests();
  // Every database of this run begins with its template's name.
  const template = `portolan_test_${randomBytes(4).toString("hex")}`;
  const administrator = new pg.Client(server);
  const tearDown = async () => {
    const { rows } = await administrator.query("select datname from pg_database where datname like $1", [
      `${template}%`,
    ]);
    for (const { datname } of rows) await administrator.query(`drop database "${datname}" with (force)`);
    await administrator.end();
    await stop();
  };
  await administrator.connect();
  try {
    await administrator.query(`create database "${template}"`);
    await migrate({ ...server, database: template }, silentLog);
  } catch (error) {
    await tearDown();
    throw error;
  }
  project.provide("testDatabase", { kind: "postgres", server, template });
  return tearDown;
}
