// npm run bench:budgets-served: CPU of one complete server on PostgreSQL per request, with API keys that different
// numbers of budgets count. Keys take turns in one process, because two processes of the same code differ by more.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { requestBody } from "./answer.ts";
import { benchModels, startGateway } from "./gateway.ts";
import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { cpuMs } from "./process-facts.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    seconds: { type: "string", default: "2" },
    budgets: { type: "string", default: "1000" },
  },
});
const [rounds, seconds, budgets] = [values.rounds, values.seconds, values.budgets].map(Number) as [
  number,
  number,
  number,
];
const connections = 32;
const warmUps = 3;
/** After a load, what it left is booked. */
const bookingWaitMs = 1_500;

const measures = ["eur", "tokens", "requests", "concurrency"] as const;
/** Keys by how many budgets count their requests. */
const counted = { none: 0, one: 1, four: 4 } as const;
type Name = keyof typeof counted;
const names = Object.keys(counted) as Name[];

const Made = z.object({ key: z.string().optional(), data: z.object({ id: z.string() }) });

const programs = postgresPrograms();
if (!programs) throw new Error("This needs PostgreSQL's programs: apt-get install postgresql");
const echo = await startScript("echo.ts");
const postgres = await startPostgres(programs);
const gateway = await startGateway(echo.firstLine, postgres.url);

async function post(path: string, body: object) {
  const response = await fetch(`${gateway.origin}/api/v1${path}`, {
    method: "POST",
    headers: { ...gateway.headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}`);
  return Made.parse(await response.json());
}

let made = 0;
const createBudget = (measure: (typeof measures)[number], dimension: string, value: string) =>
  post("/budgets", {
    ...{ name: `Budget ${made++}`, measure, limit: 1_000_000_000 },
    period: measure === "concurrency" ? "none" : "month",
    dimensions: [{ dimension, value }],
  });

const keys = new Map<Name, string>();
const ask = (name: Name) =>
  load({
    url: gateway.url,
    headers: { authorization: `Bearer ${keys.get(name)}` },
    body: requestBody(benchModels.one, "complete"),
    mode: "complete",
    connections,
    seconds,
  });

/** CPU in µs per request, with what is done after the last answer. */
async function measure(name: Name): Promise<number> {
  const before = cpuMs(gateway.pid).all;
  const { requests, wrong } = await ask(name);
  if (wrong.length > 0) throw new Error(`Wrong answers: ${wrong.join("; ")}`);
  await pause(bookingWaitMs);
  return ((cpuMs(gateway.pid).all - before) * 1000) / requests;
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

try {
  for (const name of names) {
    const { key, data } = await post("/keys", { name });
    keys.set(name, key ?? "");
    for (const measureOf of measures.slice(0, counted[name])) await createBudget(measureOf, "key", data.id);
  }
  while (made < budgets)
    await createBudget(measures[made % measures.length] ?? "eur", "end_user", `user-${made}`);
  for (let at = 0; at < warmUps; at++) for (const name of names) await ask(name);
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let at = 0; at < rounds; at++)
    for (const name of at % 2 === 0 ? names : names.toReversed()) times.get(name)?.push(await measure(name));
  const bases = times.get("none") ?? [];
  for (const [name, all] of times) {
    const ratios = all.map((us, at) => us / (bases[at] ?? us));
    const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
    const variance = ratios.reduce((sum, one) => sum + (one - mean) ** 2, 0) / ratios.length;
    const error = Math.sqrt(variance / ratios.length);
    process.stdout.write(
      `counted by ${name}: ${median(all).toFixed(1)} µs per request, ${median(ratios).toFixed(3)} × none ` +
        `(mean ${mean.toFixed(3)}, standard error ${error.toFixed(3)})\n`,
    );
  }
} finally {
  await gateway.stop();
  await postgres.stop();
  await echo.stop();
}
