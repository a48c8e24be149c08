import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Database } from "#server/db/index.ts";
import { directoryOfFile } from "#test/directories.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { startOracle } from "./gateway-process.ts";
import { chaosOverlay, chaosSettings, createInstallation, type Gateway } from "./installation.ts";

/** One `npm start` with several processes behind one port, for the tests of a group. */
export function workerProcesses(programs: string, { workers, key }: { workers: number; key: string }) {
  const directory = directoryOfFile();
  let cluster: Cluster;
  let oracle: Awaited<ReturnType<typeof startOracle>>;
  let database: Database;
  let gateway: Gateway;
  beforeAll(async () => {
    cluster = await startCluster(programs);
    oracle = await startOracle();
    const catalogFile = join(directory, "overlay.json");
    writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
    const installation = await createInstallation(cluster, {
      WORKERS: String(workers),
      ...chaosSettings(key, catalogFile),
    });
    database = installation.open();
    gateway = await installation.start();
  }, 120_000);
  afterAll(async () => {
    await gateway?.end("SIGTERM");
    await database?.close();
    await oracle?.end("SIGKILL");
    await cluster?.stop();
  });
  return {
    database: () => database,
    gateway: () => gateway,
    children: (): number[] => {
      const { pid } = gateway.child;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
      return children.split(" ").filter(Boolean).map(Number);
    },
  };
}
