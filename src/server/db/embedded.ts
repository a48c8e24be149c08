import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type pg from "pg";
import { programEnding } from "#server/platform/project.ts";

export interface EmbeddedOptions {
  /** The directory of the database's files. Null: in memory. */
  readonly directory: string | null;
  readonly socketPath: string;
  /** A dump to start from instead of an empty database. */
  readonly image: string | null;
  readonly connectionsMax: number;
}

export interface EmbeddedDatabase {
  readonly connection: pg.PoolConfig;
  /** The database as the bytes of one file, to start others from. */
  dump(): Promise<Uint8Array>;
  close(): Promise<void>;
}

const socketName = ".s.PGSQL.5432";

async function startWorker(options: EmbeddedOptions): Promise<Worker> {
  const worker = new Worker(new URL(`./embedded-worker${programEnding}`, import.meta.url), {
    workerData: options,
    // Its JavaScript only passes messages on, so the young generation of the server would be wasted on it.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const ended = once(worker, "exit").then(([code]) => {
    throw new Error(`The embedded database ended with code ${code} while it started`);
  });
  await Promise.race([once(worker, "message"), ended]);
  return worker;
}

async function stopWorker(worker: Worker): Promise<void> {
  worker.postMessage("stop");
  await once(worker, "exit");
}

/**
 * PGlite takes a while to create its first files, and a kill in that time would leave incomplete ones. They are
 * created in another directory, which is renamed when they are complete.
 */
async function makeFiles(options: EmbeddedOptions & { directory: string }): Promise<void> {
  const draft = `${options.directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
  await stopWorker(await startWorker({ ...options, directory: draft }));
  renameSync(draft, options.directory);
}

/** Starts the embedded database in `directory`, or in memory if it is null. */
export async function startEmbedded(
  directory: string | null,
  { image = null, connectionsMax = 32 }: { image?: string | null; connectionsMax?: number } = {},
): Promise<EmbeddedDatabase> {
  const socketDirectory = mkdtempSync(join(tmpdir(), "portolan-"));
  const options = { directory, socketPath: join(socketDirectory, socketName), image, connectionsMax };
  if (directory !== null && !existsSync(directory)) await makeFiles({ ...options, directory });
  const worker = await startWorker(options);
  return {
    connection: { host: socketDirectory, port: 5432, user: "postgres", database: "postgres" },
    async dump() {
      worker.postMessage("dump");
      const [bytes] = (await once(worker, "message")) as [Uint8Array];
      return bytes;
    },
    async close() {
      await stopWorker(worker);
      rmSync(socketDirectory, { recursive: true, force: true });
    },
  };
}
