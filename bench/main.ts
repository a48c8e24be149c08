// npm run bench: the same load on the same echo upstream, directly, through a bare relay, through this gateway
// with everything on and through a peer, in interleaved rounds of one run.
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Mode, requestBody } from "./answer.ts";
import { type LoadResult, load } from "./load.ts";
import { findPeers, peerVersions } from "./peers.ts";
import { measurePolicy, policyTable } from "./policy.ts";
import { cpuMs, residentMib, waitUntilIdle } from "./process-facts.ts";
import { fillBenchmarks, machineFacts, type Row, ratios, table, writeResult } from "./report.ts";
import { type Subject, type SubjectRow, startScript, subjects } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    modes: { type: "string", default: "complete,stream" },
    rounds: { type: "string", default: "5" },
    starts: { type: "string", default: "1" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "32" },
    "with-portkey": { type: "boolean", default: false },
    against: { type: "string" },
    docs: { type: "boolean", default: false },
    policy: { type: "boolean", default: false },
  },
});
const [rounds, starts, seconds, connections] = [
  values.rounds,
  values.starts,
  values.seconds,
  values.connections,
].map(Number);
const modes = values.modes
  .split(",")
  .filter((mode): mode is Mode => mode === "complete" || mode === "stream");
if (!rounds || !starts || !seconds || !connections || modes.length === 0) {
  console.error(
    "Usage: npm run bench -- [--starts 1] [--rounds 5] [--seconds 4] [--connections 32] [--modes complete,stream]",
  );
  console.error(
    "         [--only direct,relay] [--with-portkey] [--against CHECKOUT] [--docs], or --policy for the router alone",
  );
  process.exit(2);
}
if (values.policy) {
  console.log(policyTable(measurePolicy()));
  process.exit(0);
}
const warmUp = { secondsEach: Math.min(3, seconds), loadsMax: 10, steadyWithin: 0.05 };

/** A subject that was started. Processes of the same code differ, so medians are over several starts. */
interface Contender {
  readonly row: SubjectRow;
  readonly subject: Subject;
  readonly idleMib: number;
}

interface Measure extends LoadResult {
  readonly cpu_us_per_request: number;
  readonly main_thread_us_per_request: number;
  readonly resident_mib: number;
  readonly resident_mib_idle: number;
  readonly idle: boolean;
}

/** One load on one subject. Throws when a single answer was wrong: such a run must not be compared. */
async function measure(
  { row, subject, idleMib }: Contender,
  mode: Mode,
  forSeconds: number,
): Promise<Measure> {
  const before = cpuMs(subject.pid);
  const result = await load({
    url: subject.url,
    headers: subject.headers,
    body: requestBody(row.model, mode),
    mode,
    connections: connections as number,
    seconds: forSeconds,
  });
  if (result.wrong.length > 0) {
    throw new Error(
      `${row.name} (${mode}) answered wrongly, so nothing is compared:\n${result.wrong.join("\n")}`,
    );
  }
  const residentAfter = residentMib(subject.pid);
  const idle = await waitUntilIdle(subject.pid);
  const after = cpuMs(subject.pid);
  return {
    ...result,
    cpu_us_per_request: ((after.all - before.all) * 1000) / result.requests,
    main_thread_us_per_request: ((after.mainThread - before.mainThread) * 1000) / result.requests,
    resident_mib: residentAfter,
    resident_mib_idle: idleMib,
    idle,
  };
}

/**
 * Loads a subject until one load costs as much as the one before: compilers are then done with what it runs, as
 * they are after the first seconds of a server's days.
 */
async function makeWarm(contender: Contender, mode: Mode): Promise<void> {
  let before = 0;
  for (let done = 0; done < warmUp.loadsMax; done++) {
    const { cpu_us_per_request: now } = await measure(contender, mode, warmUp.secondsEach);
    if (Math.abs(before - now) <= before * warmUp.steadyWithin) return;
    before = now;
  }
}

function median(measures: readonly number[]): number {
  const sorted = [...measures].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function summary(name: string, mode: Mode, measures: readonly Measure[]): Row {
  const of = (field: (measure: Measure) => number) => median(measures.map(field));
  return {
    subject: name,
    mode,
    requests_per_second: of((each) => each.requests_per_second),
    cpu_us_per_request: of((each) => each.cpu_us_per_request),
    main_thread_us_per_request: of((each) => each.main_thread_us_per_request),
    p50_ms: of((each) => each.p50_ms),
    p99_ms: of((each) => each.p99_ms),
    resident_mib: Math.max(...measures.map((each) => each.resident_mib)),
    resident_mib_idle: of((each) => each.resident_mib_idle),
    idle: measures.every((each) => each.idle),
  };
}

type Measures = Map<string, Measure[]>;

/** Adds the measures of rounds in which the contenders take turns. */
async function compare(contenders: readonly Contender[], mode: Mode, taken: Measures): Promise<void> {
  for (const contender of contenders) await makeWarm(contender, mode);
  for (let round = 1; round <= (rounds as number); round++) {
    for (const contender of contenders) {
      const result = await measure(contender, mode, seconds as number);
      const { name } = contender.row;
      taken.set(name, [...(taken.get(name) ?? []), result]);
      const speed = `${Math.round(result.requests_per_second)}/s`.padStart(9);
      console.error(
        `${mode} ${round}/${rounds} ${name.padEnd(18)} ${speed}  ${result.cpu_us_per_request.toFixed(0)} µs`,
      );
    }
  }
}

const peers = findPeers(values["with-portkey"]);
const against = values.against && resolve(values.against);
const asked = values.only?.split(",") ?? subjects.map(({ name }) => name);
const echo = await startScript("echo.ts");
/** Starts the subjects that were asked for, measures all modes and stops them. */
async function measureOneStart(taken: ReadonlyMap<Mode, Measures>): Promise<void> {
  const contenders: Contender[] = [];
  try {
    for (const row of subjects.filter(({ name }) => asked.includes(name))) {
      const reason = row.lacking({ peers, against });
      if (reason) {
        console.error(`${row.name}: left out, ${reason}`);
        continue;
      }
      const subject = await row.start({ echo, peers, against });
      await pause(1000);
      contenders.push({ row, subject, idleMib: residentMib(subject.pid) });
    }
    for (const [mode, measures] of taken) {
      const able = contenders.filter(({ row }) => row.modes?.includes(mode) ?? true);
      await compare(able, mode, measures);
    }
  } finally {
    for (const { subject } of contenders) await subject.stop();
  }
}

try {
  const taken = new Map<Mode, Measures>(modes.map((mode) => [mode, new Map()]));
  for (let begun = 0; begun < (starts as number); begun++) await measureOneStart(taken);
  const rows = [...taken].flatMap(([mode, measures]) =>
    [...measures].map(([name, all]) => summary(name, mode, all)),
  );
  const machine = machineFacts();
  const compared = ratios(rows);
  const policy = measurePolicy();
  const report = [
    table(rows),
    "",
    ...Object.entries(compared).map(([what, ratio]) => `- ${what}: **${ratio.toFixed(2)} ×**`),
    "",
    `${connections} connections, medians of ${starts} × ${rounds} rounds of ${seconds} s, interleaved; ${machine.cores} cores` +
      ` (${machine.cpu}), Node ${machine.node}, ${[`commit ${machine.commit}`, ...peerVersions(peers)].join(", ")}.` +
      " Load driver, echo and subject share these cores. CPU counts all threads until the subject is idle again.",
    "",
    policyTable(policy),
  ].join("\n");
  console.log(`\n${report}`);
  const settings = { starts, rounds, seconds, connections, peers: peerVersions(peers) };
  console.log(`\nWritten: ${writeResult(new Date(), { machine, settings, rows, ratios: compared, policy })}`);
  if (values.docs) fillBenchmarks(report);
} finally {
  await echo.stop();
}
