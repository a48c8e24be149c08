import { execFileSync } from "node:child_process";
import { accessSync, chownSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, start } from "./child.ts";

export interface ThrowAwayPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

const debian = "/usr/lib/postgresql";

/** The folder with initdb and postgres, or undefined when this machine has none. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(debian)
    ? readdirSync(debian).map((version) => join(debian, version, "bin"))
    : [];
  const folders = [...versions, ...(process.env.PATH ?? "").split(delimiter)];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

/** PostgreSQL refuses to run as root, so root hands it to the user that Debian made for it. */
function postgresUser(): {
  readonly wrapper: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
} {
  if (process.getuid?.() !== 0) return { wrapper: [] };
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return {
    wrapper: ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"],
    uid: id("-u"),
    gid: id("-g"),
  };
}

/** A cluster of its own in a temporary folder, gone with `stop`. */
export async function startPostgres(programs: string): Promise<ThrowAwayPostgres> {
  const user = postgresUser();
  const folder = mkdtempSync(join(tmpdir(), "portolan-bench-pg-"));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const [initdb, postgres] = [join(programs, "initdb"), join(programs, "postgres")];
  accessSync(initdb, constants.X_OK);
  const as = (command: string, args: readonly string[]) => [...user.wrapper, command, ...args];
  const [initialise = initdb, ...initialiseArgs] = as(initdb, [
    "-D",
    folder,
    "-U",
    "bench",
    "-A",
    "trust",
    "-E",
    "UTF8",
  ]);
  execFileSync(initialise, initialiseArgs, { stdio: "ignore", cwd: folder });
  const port = await freePort();
  const options = [
    "-D",
    folder,
    "-p",
    String(port),
    "-k",
    folder,
    "-h",
    "127.0.0.1",
    "-c",
    "logging_collector=off",
  ];
  // Its log goes to standard error; the shell prints the line that `start` waits for and becomes the server.
  const [shell = "sh", ...shellArgs] = as("sh", [
    "-c",
    'echo starting; exec "$0" "$@"',
    postgres,
    ...options,
  ]);
  const server = await start(shell, shellArgs, { cwd: folder });
  for (let waited = 0; !existsSync(join(folder, `.s.PGSQL.${port}`)) && waited < 20_000; waited += 100)
    await pause(100);
  return {
    url: `postgresql://bench@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
