// The embedded PostgreSQL: PGlite on its own thread behind a private Unix socket, so that the server uses the same
// driver as for a PostgreSQL server.
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { EmbeddedOptions } from "./embedded.ts";
import { serializeStatements } from "./serialize-statements.ts";

const { directory, socketPath, image, connectionsMax } = workerData as EmbeddedOptions;

/**
 * The default of 128 MB is memory that PGlite takes from the start and never returns. Pages beyond these buffers come
 * from the system's cache of the files.
 */
const sharedBuffers = "8MB";

const database = await PGlite.create({
  startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`],
  ...(directory === null ? {} : { dataDir: directory }),
  ...(image === null ? {} : { loadDataDir: new Blob([readFileSync(image)]) }),
});
serializeStatements(database);
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: connectionsMax });
await server.start();

parentPort?.on("message", async (message: "stop" | "dump") => {
  if (message === "dump") {
    const dump = await database.dumpDataDir("none");
    parentPort?.postMessage(new Uint8Array(await dump.arrayBuffer()));
    return;
  }
  await server.stop();
  await database.close();
  parentPort?.postMessage("stopped");
  parentPort?.close();
});
parentPort?.postMessage("ready");
