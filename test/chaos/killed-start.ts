import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { eventually } from "./gateway-process.ts";
import { freePort } from "./installation.ts";
import type { Credentials } from "./old-database.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** One that was asked to end while it starts is not to be waited for longer. */
const endsWithinMs = 30_000;

export interface Start {
  readonly origin: string;
  readonly child: ChildProcess;
  /** What was printed so far, on both outputs. */
  said(): string;
  /** Resolves with the exit code once it has ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts the server as it is run in production and keeps what it prints. */
export async function begin(env: Record<string, string>): Promise<Start> {
  const port = await freePort();
  const child = spawn(process.execPath, ["src/server/main.ts"], {
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
    stdio: ["ignore", "pipe", "pipe"],
    // A container or a service manager ends all its processes, those it started too.
    detached: true,
  });
  let said = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk) => {
      said += chunk;
    });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { origin: `http://127.0.0.1:${port}`, child, said: () => said, ended };
}

const isReady = async (origin: string): Promise<boolean> => {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};

/** Waits until it serves; throws with what it printed when it ends instead. */
export async function ready({ origin, ended, said }: Start): Promise<void> {
  const over = ended.then((code) => {
    throw new Error(`The start ended with ${code}:\n${said()}`);
  });
  await Promise.race([eventually("readiness", () => isReady(origin), 60_000), over]);
}

function killAll({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}

/** Ends it and its children with `signal` and waits until the kernel has let go of all they held. */
export async function end({ child, ended, said }: Start, signal: NodeJS.Signals): Promise<void> {
  killAll(child, signal);
  const patience = new AbortController();
  const late = pause(endsWithinMs, null, { signal: patience.signal }).then(() => {
    killAll(child, "SIGKILL");
    throw new Error(`It did not end within ${endsWithinMs} ms of ${signal}:\n${said()}`);
  });
  late.catch(() => {});
  await Promise.race([ended, late]);
  patience.abort();
}

/** The way in that was printed, if it was. */
export function shownIn(said: string): Credentials | null {
  const [, email, password] = /Sign in {4}(\S+) \/ (\S+)/.exec(said) ?? [];
  const [, key] = /API key {4}(\S+)/.exec(said) ?? [];
  return email && password && key ? { email, password, key } : null;
}

/** Signs in and asks with the key: both must work. */
export async function comeIn(origin: string, { email, password, key }: Credentials): Promise<void> {
  const signedIn = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status, `sign-in: ${await signedIn.text()}`).toBe(200);
  const answered = await fetch(`${origin}/api/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/chat", prompt: "Hello", max_tokens: 4 }),
  });
  expect(answered.status, `completion: ${await answered.text()}`).toBe(200);
}
