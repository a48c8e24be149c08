import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintKey } from "#server/keys/format.ts";

/** One process on an empty database of its own, and whom it lets in. */
export interface Installation {
  readonly origin: string;
  readonly port: string;
  readonly dataDir: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** Ports that differ between the processes of a machine that run tests at the same time. */
const portsOfProcess = 2;
let planned = 0;

function plan(): Installation {
  const port = String(20_000 + ((process.pid * portsOfProcess + planned++) % 10_000));
  const dataDir = mkdtempSync(join(tmpdir(), "portolan-e2e-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    dataDir,
    email: "admin@example.eu",
    password: "a password for tests only",
    apiKey: mintKey("ptl"),
  };
}

/** The installation under test. Each worker of Playwright is a process and has one to itself. */
export const installation = plan();

const settingsOf = ({ port, dataDir, email, password, apiKey }: Installation): NodeJS.ProcessEnv => ({
  NODE_ENV: "production",
  HOST: "127.0.0.1",
  PORT: port,
  DATA_DIR: dataDir,
  // The embedded database's socket lies there, where tests find it.
  TMPDIR: dataDir,
  DATABASE_URL: "",
  ADMIN_EMAIL: email,
  ADMIN_PASSWORD: password,
  ADMIN_API_KEY: apiKey,
  SANDBOX: "true",
  ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
  // All tests come from one address, and most as one person.
  RATE_LIMIT_KEY: "100000",
  RATE_LIMIT_ORGANISATION: "0",
  RATE_LIMIT_AUTH: "0",
  RATE_LIMIT_PUBLIC: "0",
  RATE_LIMIT_PAGES: "0",
  LOG_LEVEL: "warn",
});

/**
 * Runs the server of an installation, and resolves once it serves: with what ends it. Throws when it ends before.
 * `program` is a file of the repository that prints where it serves, as the server does; `settings` are laid over
 * the usual ones.
 */
export async function run(
  one: Installation,
  program = ".server/main.mjs",
  settings: Record<string, string> = {},
): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, ...settingsOf(one), ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGINT");
    await exited;
  };
  const serves = new Promise<void>((resolve) => {
    child.stdout.on("data", (text) => String(text).includes("is running at") && resolve());
  });
  const ended = exited.then(([code]) => {
    throw new Error(`${program} ended with ${code} before it served`);
  });
  await Promise.race([serves, ended]);
  // An end from here on is asked for by `stop`.
  ended.catch(() => {});
  return stop;
}

/** A further installation of this process, which nobody has used yet. */
export async function runFresh(): Promise<Installation & { stop(): Promise<void> }> {
  const fresh = plan();
  return { ...fresh, stop: await run(fresh) };
}
