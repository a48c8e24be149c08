// The same installation over a PostgreSQL of its own, which ends with this process.
import { randomBytes } from "node:crypto";
import { databaseUrl } from "#test/setup/database-url.ts";
import { startCluster } from "#test/setup/postgres-cluster.ts";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";

const programs = postgresPrograms();
if (!programs) throw new Error("There is no PostgreSQL on this machine");
// The installation's own folder is closed to the user PostgreSQL runs as.
delete process.env.TMPDIR;
const { server } = await startCluster(programs);
process.env.DATABASE_URL = databaseUrl(server);
process.env.ENCRYPTION_KEY = randomBytes(32).toString("base64");
await import("./server.ts");
