import { startCluster } from "#test/setup/postgres-cluster.ts";

export interface ThrowAwayPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** A cluster of its own in a temporary folder, gone with `stop`; `url` is what DATABASE_URL takes. */
export async function startPostgres(programs: string): Promise<ThrowAwayPostgres> {
  const { server, stop } = await startCluster(programs);
  const { user, host, port, database } = server;
  const url = new URL("postgresql://localhost");
  url.username = user ?? "postgres";
  url.pathname = database ?? "postgres";
  url.searchParams.set("host", host ?? "");
  if (port) url.searchParams.set("port", String(port));
  return { url: url.href, stop };
}
