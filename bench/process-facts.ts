import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The unit of /proc/<pid>/stat, 10 ms nearly everywhere. */
const tickMs = 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const lookEveryMs = 500;
/** A process that polls its database once a second counts as idle. */
const idleShare = 0.06;
const idleTimeoutMs = 30_000;

const numberAt = (fields: readonly string[], index: number): number => Number(fields[index] ?? 0);

/** utime + stime of one stat file, in milliseconds. The name in it may hold blanks, so it is cut off first. */
function cpuOf(statFile: string): number {
  if (!existsSync(statFile)) return 0;
  const stat = readFileSync(statFile, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (numberAt(fields, 11) + numberAt(fields, 12)) * tickMs;
}

function tree(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(tree)];
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** CPU time in milliseconds: of a process with all its threads and children, and of its main thread alone. */
export const cpuMs = (pid: number) => ({
  all: sum(tree(pid).map((member) => cpuOf(`/proc/${member}/stat`))),
  mainThread: cpuOf(`/proc/${pid}/task/${pid}/stat`),
});

/** Resident memory of the process and its children, in MiB. */
export const residentMib = (pid: number): number =>
  sum(
    tree(pid).map((member) => {
      const status = readFileSync(`/proc/${member}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
    }),
  );

/**
 * Waits until the process does next to nothing, so that what it does after its last answer (writing to the
 * database) is counted too and disturbs nobody else's round. Resolves false when 30 s were not enough.
 */
export async function waitUntilIdle(pid: number): Promise<boolean> {
  for (let waited = 0; waited < idleTimeoutMs; waited += lookEveryMs) {
    const before = cpuMs(pid).all;
    await pause(lookEveryMs);
    if (cpuMs(pid).all - before <= lookEveryMs * idleShare) return true;
  }
  return false;
}
