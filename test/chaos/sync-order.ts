import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Why system calls cannot be traced here; null when they can. */
export function whyNoTrace(): string | null {
  const { error, status, stderr } = spawnSync("strace", ["-f", "-o", "/dev/null", "true"], {
    encoding: "utf8",
  });
  if (error) return "strace is not installed";
  return status === 0 ? null : `strace may not trace (${stderr.trim().split("\n").at(-1)})`;
}

/**
 * What runs a command under strace. The tracer is a grandchild, so that signals to the child reach the command.
 * Files and sockets are named (-yy), buffers are shown whole.
 */
export const traced = (traceFile: string): readonly string[] => [
  "strace",
  ...["-D", "-f", "--seccomp-bpf", "-yy", "-s", "1000000", "-o", traceFile],
  ...["-e", "trace=write,writev,pwrite64,fdatasync,fsync"],
];

interface Call {
  readonly name: string;
  /** The number of the descriptor and what it is. */
  readonly descriptor: string;
  readonly text: string;
  /** Where in the trace it began: the order in time. */
  readonly beganAt: number;
}

const begun = /^(\d+) +(\w+)\((\d+<.*?>)(?=[,)]| <unfinished)(.*)$/;
const resumed = /^(\d+) +<\.\.\. \w+ resumed>/;
const succeeded = / = \d+$/;

/** Reports every system call twice, in the order of time: when it began, and when it succeeded. */
async function* callsOf(traceFile: string): AsyncGenerator<[when: "began" | "ended", Call]> {
  const unfinished = new Map<string, Call>();
  let at = 0;
  for await (const line of createInterface({ input: createReadStream(traceFile), crlfDelay: 0 })) {
    at++;
    const end = resumed.exec(line);
    if (end) {
      const [, thread = ""] = end;
      const call = unfinished.get(thread);
      unfinished.delete(thread);
      if (call && succeeded.test(line)) yield ["ended", call];
      continue;
    }
    const [, thread, name, descriptor, text] = begun.exec(line) ?? [];
    if (thread === undefined || name === undefined || descriptor === undefined || text === undefined)
      continue;
    const call: Call = { name, descriptor, text, beganAt: at };
    yield ["began", call];
    if (text.endsWith("<unfinished ...>")) unfinished.set(thread, call);
    else if (succeeded.test(line)) yield ["ended", call];
  }
}

/** Which FINAL records are on disk, from what was written to the spool and what was synced since. */
class Finals {
  /** Written and not synced: which spool file has it, and since when. */
  readonly #written = new Map<string, { spool: string; endedAfter: number }>();
  readonly #synced = new Set<string>();

  ended({ name, descriptor, text, beganAt }: Call, at: number): void {
    if (/^f(data)?sync$/.test(name)) {
      for (const [id, { spool, endedAfter }] of this.#written) {
        if (spool !== descriptor || endedAfter > beganAt) continue;
        this.#written.delete(id);
        this.#synced.add(id);
      }
      return;
    }
    for (const [, id = ""] of text.matchAll(/ FINAL ([0-9a-f-]{36}) /g))
      this.#written.set(id, { spool: descriptor, endedAfter: at });
  }

  isSynced = (id: string): boolean => this.#synced.has(id);
}

export interface SyncOrder {
  /** Generations whose terminal bytes were seen, and of them those that were streams. */
  readonly answers: ReadonlySet<string>;
  readonly streams: ReadonlySet<string>;
  /** Those whose terminal bytes went out before a sync that covers their FINAL record had ended. */
  readonly early: ReadonlySet<string>;
}

/**
 * Reads from the trace of a gateway that listens on `port` whether the FINAL record of every answer was synced
 * before its terminal bytes were handed to the client's socket: of a whole answer the first byte, of a stream
 * the event with its usage or `[DONE]`, whichever went first.
 */
export async function readSyncOrder(traceFile: string, port: number): Promise<SyncOrder> {
  const clients = new RegExp(`^\\d+<TCP:\\[[^\\]]*:${port}->`);
  const finals = new Finals();
  /** What each client's socket carries at the moment. */
  const underWay = new Map<string, { id: string; streamed: boolean }>();
  const order = { answers: new Set<string>(), streams: new Set<string>(), early: new Set<string>() };
  let at = 0;
  for await (const [when, call] of callsOf(traceFile)) {
    at = Math.max(at, call.beganAt);
    if (call.descriptor.endsWith(".spool>")) {
      if (when === "ended") finals.ended(call, at);
      continue;
    }
    if (when !== "began" || !clients.test(call.descriptor)) continue;
    const id = /x-generation-id: ([0-9a-f-]{36})/i.exec(call.text)?.[1];
    if (id) underWay.set(call.descriptor, { id, streamed: call.text.includes("text/event-stream") });
    const answer = underWay.get(call.descriptor);
    if (!answer || order.answers.has(answer.id)) continue;
    if (answer.streamed && !/\[DONE\]|\\"usage\\":\{/.test(call.text)) continue;
    order.answers.add(answer.id);
    if (answer.streamed) order.streams.add(answer.id);
    if (!finals.isSynced(answer.id)) order.early.add(answer.id);
  }
  return order;
}
