import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const program = "/usr/sbin/pgbouncer";

export const hasPgBouncer = (): boolean => existsSync(program);

/** The time limits of background work, in ms. Each connection of Portolan asks for its own, which PgBouncer ignores. */
const timeouts =
  "set statement_timeout = 15000; set lock_timeout = 5000; set idle_in_transaction_session_timeout = 30000";

/** What docs/operations.md recommends. */
const settingsOf = (folder: string, host: string): string => `
[databases]
postgres = host=${host} port=5432 user=postgres connect_query='${timeouts}'
[pgbouncer]
pool_mode = transaction
listen_addr =
unix_socket_dir = ${folder}
auth_type = any
pidfile = ${folder}/pgbouncer.pid
admin_users = postgres
max_client_conn = 1000
default_pool_size = 20
ignore_startup_parameters = extra_float_digits,options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`;

/** PgBouncer refuses to run as root, as PostgreSQL does. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (kind: string) => Number(execFileSync("id", [kind, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function untilConnectable(
  server: pg.ClientConfig,
  bouncer: ChildProcess,
  folder: string,
): Promise<void> {
  for (;;) {
    if (bouncer.exitCode !== null)
      throw new Error(`PgBouncer ended: ${readFileSync(join(folder, "log"), "utf8")}`);
    const client = new pg.Client(server);
    try {
      await client.connect();
      return await client.end();
    } catch {
      await pause(50);
    }
  }
}

/** PgBouncer in transaction mode before a cluster on a Unix socket. `server` is what connects to it. */
export async function startPgBouncer(cluster: pg.ClientConfig) {
  const folder = mkdtempSync(join(tmpdir(), "portolan-bouncer-"));
  const identity = unprivileged();
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, settingsOf(folder, cluster.host ?? ""));
  const bouncer = spawn(program, [file], { ...identity, stdio: "ignore" });
  const server = { host: folder, port: 6432, user: "postgres", database: "postgres" };
  const stop = async () => {
    const ended = bouncer.exitCode === null ? once(bouncer, "exit") : null;
    bouncer.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilConnectable(server, bouncer, folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, stop };
}
