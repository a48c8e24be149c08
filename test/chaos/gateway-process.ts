import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serverFlags } from "../../scripts/setup/server-flags.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Asks `probe` until it is true. Throws with `what` when that takes longer than `withinMs`. */
export async function eventually(
  what: string,
  probe: () => Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    if (await probe()) return;
    await pause(20);
  }
  throw new Error(`${what} did not come about within ${withinMs} ms`);
}

export interface ServerProcess {
  readonly child: ChildProcess;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const started = (child: ChildProcess): ServerProcess => ({
  child,
  async end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  },
});

/** A program that says where it listens in its first line. */
async function startListening(...program: string[]): Promise<ServerProcess & { origin: string }> {
  const child = spawn(process.execPath, program, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  const [origin] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { ...started(child), origin: origin.trim() };
}

/** The sandbox providers in a process of their own: the oracle that survives the gateway's death. */
export const startOracle = () =>
  startListening("src/server/sandbox/cli.ts", "--port", "0", "--remembered", "100000");

/** A destination that takes everything, but for what is sent below `/hole`: that is never answered. */
export const startSink = () => startListening("test/chaos/sink.mjs");

const answersReady = async (origin: string): Promise<boolean> => {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};

/** The measurements of a server's event loop and memory since they were last reset. */
export interface Watched {
  /** The longest time an event had to wait. */
  readonly delayMs: number;
  /** The longest time the main thread computed between two looks at its timers. */
  readonly turnMs: number;
  readonly rss: number;
  /** The memory of live objects and of the buffers they hold, in bytes. */
  readonly liveBytes: number;
}

/** Asks a server that was started as watched; `collect` collects its garbage first. */
export async function watch(child: ChildProcess, what: "begin" | "read" | "collect"): Promise<Watched> {
  child.send(`watch: ${what}`);
  for (;;) {
    const [said] = (await once(child, "message")) as [{ watched?: Watched }];
    if (said.watched) return said.watched;
  }
}

const watchedFlags = [...serverFlags, "--expose-gc", "--import", "./test/chaos/watched.mjs"];

/** Portolan as `npm start` runs it, ready to serve; `under` is a program that runs it and hands it its signals. */
export async function startGateway(
  port: number,
  env: Record<string, string>,
  { under = [], watched = false }: { readonly under?: readonly string[]; readonly watched?: boolean } = {},
): Promise<ServerProcess & { origin: string; dataDir: string }> {
  const flags = watched ? watchedFlags : [];
  const [program = process.execPath, ...args] = [...under, process.execPath, ...flags, "src/server/main.ts"];
  const child = spawn(program, args, {
    cwd: repository,
    env: {
      ...process.env,
      NODE_ENV: "production",
      LOG_LEVEL: "error",
      EXCHANGE_RATES_URL: "off",
      NODE_COMPILE_CACHE: join(repository, "node_modules/.cache/portolan/compiled"),
      HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
    },
    stdio: ["ignore", "ignore", "inherit", ...(watched ? ["ipc" as const] : [])],
  });
  const origin = `http://127.0.0.1:${port}`;
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The gateway ended with ${code} before it was ready`);
  });
  await Promise.race([eventually("readiness", () => answersReady(origin), 60_000), ended]);
  return { ...started(child), origin, dataDir: env.DATA_DIR ?? "" };
}
