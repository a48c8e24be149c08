// npm run bench:memory: how long a second start takes until the gateway is ready, and its resident memory when it is
// idle, under load, and after it.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import { requestBody } from "./answer.ts";
import { benchModels, prepareGateway } from "./gateway.ts";
import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { residentMib } from "./process-facts.ts";
import { machineFacts, markdownTable } from "./report.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({ options: { runs: { type: "string", default: "1" } } });
const idleMs = 10_000;
const loadSeconds = 15;
/** Memory is returned after 40 s of almost no work. */
const afterLoadMs = [60_000, 75_000] as const;

const echo = await startScript("echo.ts");
const body = requestBody(benchModels.one, "complete");

/** Starts a gateway twice and measures the second start. */
async function measure(name: string, databaseUrl?: string): Promise<string[]> {
  const gateway = await prepareGateway(echo.firstLine, databaseUrl);
  const order = {
    url: gateway.url,
    headers: gateway.headers,
    body,
    mode: "complete",
    connections: 32,
  } as const;
  try {
    const first = await gateway.start();
    await load({ ...order, seconds: 1 });
    await first.stop();
    const sinceMs = performance.now();
    const second = await gateway.start();
    try {
      const readyMs = performance.now() - sinceMs;
      await pause(idleMs);
      const seen = [residentMib(second.pid)];
      const loading = load({ ...order, seconds: loadSeconds });
      let peakMib = 0;
      const looking = setInterval(() => {
        peakMib = Math.max(peakMib, residentMib(second.pid));
      }, 250);
      const { wrong } = await loading;
      clearInterval(looking);
      if (wrong.length > 0) throw new Error(`${name}: wrong answers\n${wrong.join("\n")}`);
      seen.push(peakMib);
      let waitedMs = 0;
      for (const untilMs of afterLoadMs) {
        await pause(untilMs - waitedMs);
        waitedMs = untilMs;
        seen.push(residentMib(second.pid));
      }
      return [name, (readyMs / 1000).toFixed(2), ...seen.map((mib) => mib.toFixed(0))];
    } finally {
      await second.stop();
    }
  } finally {
    gateway.remove();
  }
}

const rows: string[][] = [];
try {
  for (let run = 1; run <= Number(values.runs); run++) {
    rows.push(await measure("embedded"));
    const programs = postgresPrograms();
    if (!programs) continue;
    const postgres = await startPostgres(programs);
    try {
      rows.push(await measure("PostgreSQL", postgres.url));
    } finally {
      await postgres.stop();
    }
  }
} finally {
  await echo.stop();
}
const after = afterLoadMs.map((ms) => `MiB ${ms / 1000} s after`);
console.log(markdownTable(["database", "ready s", "MiB idle", "MiB under load", ...after], rows));
const { cores, cpu, node, commit } = machineFacts();
console.log(`\n${cores} cores (${cpu}), Node ${node}, commit ${commit}.`);
