import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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

/** A process and its children, as Linux lists them. */
const familyOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number),
];

export interface Cluster {
  readonly server: pg.ClientConfig;
  /** The process all its others are children of. */
  pid(): number;
  /** Ends it at once, without a checkpoint, as a crash would. */
  crash(): Promise<void>;
  /** Starts it again after a crash; resolves once it takes connections. */
  restart(): Promise<void>;
  /**
   * Lets all its processes hang, as behind a network that drops packets, until the returned function is called; with
   * `isChosen`, only those connections, counted from zero.
   */
  freeze(isChosen?: (connection: number) => boolean): () => void;
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** Keeps what was committed over a crash. */
  readonly durable?: boolean;
  /** Settings that replace the usual ones. */
  readonly further?: readonly string[];
  /** The primary that it follows as a hot standby. */
  readonly standbyOf?: Cluster;
}

/** How the data of a cluster is made: the program and its arguments. */
function creation(data: string, primary: Cluster | undefined): readonly [string, readonly string[]] {
  if (!primary)
    return [
      "initdb",
      ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    ];
  const { host, port, user } = primary.server;
  return [
    "pg_basebackup",
    ["-D", data, "-h", String(host), "-p", String(port), "-U", String(user), "-R", "-c", "fast", "--no-sync"],
  ];
}

/** Makes a cluster in a temporary folder and starts it on a Unix socket only its own folder has. */
export async function startCluster(
  programs: string,
  { durable = false, further = [], standbyOf }: ClusterOptions = {},
): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "portolan-pg-"));
  const identity = unprivileged();
  if (identity) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, "data");
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const [program, options] = creation(data, standbyOf);
    execFileSync(join(programs, program), options, { ...identity, cwd: directory, stdio: "pipe" });
  } catch (error) {
    remove();
    throw error;
  }
  const server = { host: directory, port: 5432, user: "postgres", database: "postgres" };
  const chosen = [...settings, ...(durable ? ["synchronous_commit=on"] : []), ...further];
  let postgres: ChildProcess | undefined;
  // Also when the test run itself dies: SIGQUIT ends PostgreSQL and all its children at once.
  const killed = () => {
    postgres?.kill("SIGQUIT");
    remove();
  };
  process.once("exit", killed);
  const crash = async () => {
    if (!postgres || postgres.exitCode !== null) return;
    const ended = once(postgres, "exit");
    postgres.kill("SIGQUIT");
    await ended;
  };
  const launch = async () => {
    const started = spawn(
      join(programs, "postgres"),
      ["-D", data, "-k", directory, ...chosen.flatMap((setting) => ["-c", setting])],
      { ...identity, cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
    );
    postgres = started;
    let said = "";
    started.stderr?.on("data", (chunk) => {
      said = (said + chunk).slice(-4000);
    });
    await connectable(server, started, () => said);
  };
  const stop = async () => {
    process.off("exit", killed);
    await crash();
    remove();
  };
  const freeze: Cluster["freeze"] = (isChosen) => {
    // One that was about to end as it was listed is gone; all others must hear the signal.
    const send = (signal: NodeJS.Signals) => (pid: number) =>
      existsSync(`/proc/${pid}`) && process.kill(pid, signal);
    const family = familyOf(postgres?.pid ?? 0);
    const serves = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("[local]");
    const each = isChosen ? family.filter(serves).filter((_, at) => isChosen(at)) : family;
    each.forEach(send("SIGSTOP"));
    return () => each.forEach(send("SIGCONT"));
  };
  try {
    await launch();
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, pid: () => postgres?.pid ?? 0, crash, restart: launch, freeze, stop };
}
