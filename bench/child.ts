import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

export interface Running {
  readonly pid: number;
  /** The first line it printed. */
  readonly firstLine: string;
  stop(): Promise<void>;
}

interface Options {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

const killAfterMs = 20_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  await ended;
  clearTimeout(force);
}

/** Starts a program and resolves with its first line of output; rejects with its errors when it ends before. */
export async function start(
  command: string,
  args: readonly string[],
  options: Options = {},
): Promise<Running> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    errors = (errors + part.toString("utf8")).slice(-4000);
  });
  const firstLine = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${command} ${args.join(" ")} ended with ${code}\n${errors}`)),
    );
  });
  child.stdout.resume();
  if (child.pid === undefined) throw new Error(`${command} has no process id`);
  return { pid: child.pid, firstLine, stop: () => stop(child) };
}

/** A loopback port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

/** Asks until the address answers 200. Throws after `withinMs`. */
export async function answers(url: string, withinMs = 60_000): Promise<void> {
  for (let waited = 0; waited < withinMs; waited += 100) {
    try {
      if ((await fetch(url)).ok) return;
    } catch (error) {
      // Nobody listens yet: fetch says so with a TypeError.
      if (!(error instanceof TypeError)) throw error;
    }
    await pause(100);
  }
  throw new Error(`${url} did not answer 200 within ${withinMs} ms`);
}
