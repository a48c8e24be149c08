// npm run bench:storage: how many bytes of the database one request takes, table by table. The model has twelve
// endpoints; a rule of the organisation excludes six.
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

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const programs = postgresPrograms();
if (!programs) throw new Error("There is no PostgreSQL on this machine");

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

const echo = await startScript("echo.ts");
const postgres = await startPostgres(programs);
const gateway = await startGateway(echo.firstLine, postgres.url);
const client = new pg.Client(postgres.url);
try {
  await client.connect();
  const rule = await fetch(`${gateway.origin}/api/v1/routing-rules`, {
    method: "POST",
    headers: { ...gateway.headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "EU only", scope: "org", provider: { data_residency: "eu" } }),
  });
  if (!rule.ok) throw new Error(`POST /routing-rules answered ${rule.status}: ${await rule.text()}`);
  await pause(1_000);
  const before = new Map((await sizes(client)).map((size) => [size.name, size]));
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
} finally {
  await client.end();
  await gateway.stop();
  await postgres.stop();
  await echo.stop();
}
