// npm run bench:storage: how many bytes of the database one request takes, table by table; with --embedded the bytes
// on disk, of tables and indexes and of the write-ahead log. The model has twelve endpoints; a rule excludes six.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { requestBody } from "./answer.ts";
import { benchModels, startGateway } from "./gateway.ts";
import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { waitUntilIdle } from "./process-facts.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, embedded: { type: "boolean", default: false } },
});

interface Size {
  readonly name: string;
  readonly heap: number;
  readonly indexes: number;
}

/** Tables that do not grow with requests are smaller than this for each of them. */
const shownFrom = 1;

const sizes = async (client: pg.Client): Promise<Size[]> => {
  const { rows } = await client.query<Size>(`
    select relname as name, (pg_table_size(oid))::float8 as heap, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return rows;
};

/** Bytes of the files below a directory. */
const bytesBelow = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

type Gateway = Awaited<ReturnType<typeof startGateway>>;

async function excludeHalf(gateway: Gateway): Promise<void> {
  const rule = await fetch(`${gateway.origin}/api/v1/routing-rules`, {
    method: "POST",
    headers: { ...gateway.headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "EU only", scope: "org", provider: { data_residency: "eu" } }),
  });
  if (!rule.ok) throw new Error(`POST /routing-rules answered ${rule.status}: ${await rule.text()}`);
}

/** Returns the number of requests. */
async function sendRequests(gateway: Gateway): Promise<number> {
  const { requests, wrong } = await load({
    url: gateway.url,
    headers: gateway.headers,
    body: requestBody(benchModels.twelve, "complete"),
    mode: "complete",
    connections: 32,
    seconds: Number(values.seconds),
  });
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  await waitUntilIdle(gateway.pid);
  return requests;
}

async function measurePostgres(client: pg.Client, gateway: Gateway): Promise<void> {
  // Tables that are emptied again use the space of what was deleted from them, as autovacuum frees it.
  await sendRequests(gateway);
  await client.query("vacuum");
  const before = new Map((await sizes(client)).map((size) => [size.name, size]));
  const requests = await sendRequests(gateway);
  const grown = (await sizes(client))
    .map(({ name, heap, indexes }) => ({
      table: name,
      rows: (heap - (before.get(name)?.heap ?? 0)) / requests,
      indexes: (indexes - (before.get(name)?.indexes ?? 0)) / requests,
    }))
    .filter(({ rows, indexes }) => rows + indexes >= shownFrom);
  console.table(grown.map((each) => ({ ...each, sum: Math.round(each.rows + each.indexes) })));
  const total = grown.reduce((sum, { rows, indexes }) => sum + rows + indexes, 0);
  console.log(`${Math.round(total)} bytes per request (${requests} requests)`);
}

async function measureEmbedded(gateway: Gateway): Promise<void> {
  const directory = join(gateway.dataDirectory, "database");
  const bytes = () => {
    const log = bytesBelow(join(directory, "pg_wal"));
    return { log, tables: bytesBelow(directory) - log };
  };
  const before = bytes();
  const requests = await sendRequests(gateway);
  const after = bytes();
  const each = (one: number) => Math.round(one / requests);
  console.log(
    `${each(after.tables - before.tables)} bytes per request in tables and indexes, ` +
      `${each(after.log - before.log)} in the write-ahead log, which is used again (${requests} requests)`,
  );
}

const echo = await startScript("echo.ts");
const programs = values.embedded ? null : postgresPrograms();
if (!programs && !values.embedded) throw new Error("There is no PostgreSQL on this machine");
const postgres = programs ? await startPostgres(programs) : null;
const gateway = await startGateway(echo.firstLine, postgres?.url);
const client = postgres ? new pg.Client(postgres.url) : null;
try {
  await client?.connect();
  await excludeHalf(gateway);
  await pause(1_000);
  await (client ? measurePostgres(client, gateway) : measureEmbedded(gateway));
} finally {
  await client?.end();
  await gateway.stop();
  await postgres?.stop();
  await echo.stop();
}
