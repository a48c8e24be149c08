// npm run bench:streams: many streams at once, a piece every 20 ms, through each subject of the same run: CPU per
// piece, time to the first piece, pauses between pieces, memory.
import { execFileSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { requestBody } from "./answer.ts";
import { type PacedResult, pacedLoad, stallMs } from "./paced-load.ts";
import { findPeers } from "./peers.ts";
import { cpuMs, residentMib, waitUntilIdle } from "./process-facts.ts";
import { machineFacts, markdownTable } from "./report.ts";
import { type Subject, type SubjectRow, startScript, subjects } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "500" },
    pieces: { type: "string", default: "500" },
    rounds: { type: "string", default: "1" },
    only: { type: "string", default: "direct,relay,portolan,portolan-postgres" },
    against: { type: "string" },
    pinned: { type: "boolean", default: false },
  },
});
const [streams, pieces, rounds] = [values.streams, values.pieces, values.rounds].map(Number);
if (!streams || !pieces || !rounds) {
  console.error("Usage: npm run bench:streams -- [--streams 500] [--pieces 500] [--rounds 1]");
  console.error("         [--only direct,relay,portolan,portolan-postgres] [--against CHECKOUT] [--pinned]");
  process.exit(2);
}
const lookEveryMs = 250;
/** Streams that make a subject warm before it is measured. */
const warmStreams = 50;

/** With `--pinned`, each subject has the first core for itself, and all other programs of this run share the others. */
function pin(pid: number, cores: string): void {
  if (values.pinned) execFileSync("taskset", ["-a", "-c", "-p", cores, String(pid)], { stdio: "ignore" });
}
if (values.pinned && availableParallelism() < 2) throw new Error("--pinned needs two cores");
const otherCores = `1-${availableParallelism() - 1}`;

interface Measure extends PacedResult {
  readonly cpuUsPerPiece: number;
  readonly idleMib: number;
  readonly peakMib: number;
}

async function measure(row: SubjectRow, subject: Subject, count: number): Promise<Measure> {
  const idleMib = residentMib(subject.pid);
  const before = cpuMs(subject.pid).all;
  let peakMib = idleMib;
  const looking = setInterval(() => {
    peakMib = Math.max(peakMib, residentMib(subject.pid));
  }, lookEveryMs);
  const order = { url: subject.url, headers: subject.headers, body: requestBody(row.model, "stream") };
  const result = await pacedLoad({ ...order, streams: count, pieces: pieces as number });
  clearInterval(looking);
  if (result.wrong.length > 0)
    throw new Error(`${row.name}: some streams were incomplete:\n${result.wrong.join("\n")}`);
  await waitUntilIdle(subject.pid);
  const cpuUsPerPiece = ((cpuMs(subject.pid).all - before) * 1000) / (count * (pieces as number));
  return { ...result, cpuUsPerPiece, idleMib, peakMib };
}

const columns: readonly (readonly [title: string, cell: (measure: Measure) => string])[] = [
  ["CPU µs/piece", ({ cpuUsPerPiece }) => cpuUsPerPiece.toFixed(1)],
  ["first p50 ms", ({ first_p50_ms }) => first_p50_ms.toFixed(1)],
  ["first p99 ms", ({ first_p99_ms }) => first_p99_ms.toFixed(1)],
  ["piece p50 ms", ({ p50_ms }) => p50_ms.toFixed(1)],
  ["piece p99 ms", ({ p99_ms }) => p99_ms.toFixed(1)],
  ["max ms", ({ max_ms }) => max_ms.toFixed(1)],
  [`over ${stallMs} ms`, ({ stalls, gaps }) => `${stalls} of ${gaps}`],
  ["RSS MiB before", ({ idleMib }) => idleMib.toFixed(0)],
  ["RSS MiB peak", ({ peakMib }) => peakMib.toFixed(0)],
];

const peers = findPeers(false);
const against = values.against && resolve(values.against);
const asked = [...values.only.split(","), ...(against ? ["against-postgres"] : [])];
// Programs that start later inherit it.
pin(process.pid, otherCores);
const upstream = await startScript("pace-upstream.ts", String(pieces));
const started: { row: SubjectRow; subject: Subject }[] = [];
try {
  for (const row of subjects.filter(({ name }) => asked.includes(name))) {
    const reason = row.lacking({ peers, against });
    if (reason) console.error(`${row.name}: left out, ${reason}`);
    else {
      const subject = await row.start({ echo: upstream, peers, against });
      if (subject.pid !== upstream.pid) pin(subject.pid, "0");
      started.push({ row, subject });
    }
  }
  const cells: string[][] = [];
  for (const { row, subject } of started) await measure(row, subject, warmStreams);
  for (let round = 1; round <= rounds; round++)
    for (const { row, subject } of started) {
      await pause(1000);
      const taken = await measure(row, subject, streams);
      cells.push([row.name, ...columns.map(([, cell]) => cell(taken))]);
    }
  console.log(markdownTable(["subject", ...columns.map(([title]) => title)], cells));
  const { cores, cpu, node, commit } = machineFacts();
  console.log(`\n${streams} streams begun within 1.5 s, ${pieces} pieces each, one every 20 ms.`);
  console.log(`${cores} cores (${cpu}), Node ${node}, commit ${commit}, load ${loadavg()[0]?.toFixed(1)}.`);
} finally {
  for (const { subject } of started) await subject.stop();
  await upstream.stop();
}
