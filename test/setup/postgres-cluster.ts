import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: then it runs as the first of these that the machine knows. */
function unprivileged(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const people = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = ["postgres", "nobody"]
    .map((name) => people.find(([known]) => known === name))
    .find((person) => person !== undefined);
  if (!found) throw new Error("PostgreSQL cannot run as root, and there is no user postgres or nobody");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** A throw-away cluster gives up safety for speed: nobody needs its data after a crash. */
const settings = [
  "listen_addresses=",
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "max_connections=120",
  "shared_buffers=64MB",
];

async function connectable(server: pg.ClientConfig, postgres: ChildProcess, said: () => string) {
  for (;;) {
    if (postgres.exitCode !== null) throw new Error(`PostgreSQL ended while it started:\n${said()}`);
    const client = new pg.Client(server);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await wait(20);
    }
  }
}

export interface Cluster {
  readonly server: pg.ClientConfig;
  stop(): Promise<void>;
}

/** Makes a cluster in a temporary folder and starts it on a Unix socket only its own folder has. */
export async function startCluster(programs: string): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "portolan-pg-"));
  const identity = unprivileged();
  if (identity) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, "data");
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    execFileSync(
      join(programs, "initdb"),
      ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
      { ...identity, cwd: directory, stdio: "pipe" },
    );
  } catch (error) {
    remove();
    throw error;
  }
  const postgres = spawn(
    join(programs, "postgres"),
    ["-D", data, "-k", directory, ...settings.flatMap((setting) => ["-c", setting])],
    { ...identity, cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  postgres.stderr?.on("data", (chunk) => {
    said = (said + chunk).slice(-4000);
  });
  // Also when the test run itself dies: SIGQUIT ends PostgreSQL and all its children at once.
  const killed = () => {
    postgres.kill("SIGQUIT");
    remove();
  };
  process.once("exit", killed);
  const stop = async () => {
    process.off("exit", killed);
    if (postgres.exitCode === null) {
      const ended = once(postgres, "exit");
      postgres.kill("SIGQUIT");
      await ended;
    }
    remove();
  };
  const server = { host: directory, port: 5432, user: "postgres", database: "postgres" };
  try {
    await connectable(server, postgres, () => said);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, stop };
}
