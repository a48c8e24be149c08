// npm run bench:deliveries: how long answers take while nothing waits for destinations, while a million traces wait for
// destinations that are out of order, and while these are delivered. The measured key has no traces of its own.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { z } from "zod";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { requestBody } from "./answer.ts";
import { benchModels, startGateway } from "./gateway.ts";
import { load } from "./load.ts";
import { pacedRequests } from "./paced-requests.ts";
import { startPostgres } from "./postgres.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    waiting: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "70" },
    rate: { type: "string", default: "300" },
  },
});
const [waiting, seconds, perSecond] = [values.waiting, values.seconds, values.rate].map(Number) as [
  number,
  number,
  number,
];
/** As many of one type as an organisation may have, of two types. */
const ofEachType = 5;
const types = { webhook: "url", "otel-collector": "endpoint" } as const;
const Made = z.object({ key: z.string().optional(), data: z.object({ id: z.string() }) });

const programs = postgresPrograms();
if (!programs) throw new Error("This needs PostgreSQL's programs: apt-get install postgresql");
const echo = await startScript("echo.ts");
const sink = await startScript("sink.ts");
const postgres = await startPostgres(programs);
const gateway = await startGateway(echo.firstLine, postgres.url);
const client = new pg.Client(postgres.url);
await client.connect();

async function send(method: "POST" | "PATCH", path: string, body: object) {
  const response = await fetch(`${gateway.origin}/api/v1${path}`, {
    method,
    headers: { ...gateway.headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${await response.text()}`);
  return Made.parse(await response.json());
}

async function countPending(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int as count from destination_delivery where status = 'pending'",
  );
  return rows[0]?.count ?? 0;
}

const body = requestBody(benchModels.one, "complete");
const created = (name: string) => send("POST", "/keys", { name });

try {
  const [measured, traced] = [await created("measured"), await created("traced")];
  const measure = async (state: string) => {
    const { p50Ms, p99Ms } = await pacedRequests({
      ...{ url: gateway.url, headers: { authorization: `Bearer ${measured.key}` }, body, perSecond, seconds },
    });
    const pending = await countPending();
    console.log(`${state}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${pending} waiting`);
  };
  const destinations: string[] = [];
  for (const [type, field] of Object.entries(types))
    for (let at = 0; at < ofEachType; at++) {
      const config = { [field]: `${sink.firstLine}/${type}` };
      const more = { name: `${type} ${at}`, api_key_filter: [traced.data.id] };
      destinations.push((await send("POST", "/broadcast-destinations", { type, config, ...more })).data.id);
    }
  const order = { url: gateway.url, headers: { authorization: `Bearer ${traced.key}` }, body };
  await load({
    ...order,
    headers: { authorization: `Bearer ${measured.key}` },
    mode: "complete",
    connections: 32,
    seconds: 10,
  });
  await measure("nothing waits");
  await measure("nothing waits, again");
  while ((await countPending()) < waiting) {
    const { wrong } = await load({ ...order, mode: "complete", connections: 16, seconds: 5 });
    if (wrong.length > 0) throw new Error(`Wrong answers: ${wrong.join("; ")}`);
    await pause(2_000);
  }
  await measure("destinations are out of order");
  await measure("destinations are out of order, again");
  await fetch(`${sink.firstLine}/repair`, { method: "POST" });
  for (const id of destinations) await send("PATCH", `/broadcast-destinations/${id}`, { enabled: true });
  await measure("traces are delivered");
} finally {
  await client.end();
  await gateway.stop();
  await postgres.stop();
  await sink.stop();
  await echo.stop();
}
