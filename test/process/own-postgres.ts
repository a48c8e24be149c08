import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { databaseUrl } from "../setup/database-url.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import type { Entry } from "./entries.ts";
import { stopwatch } from "./free-time.ts";
import { type PopulatedOrganisation, populateOrganisation } from "./populated-organisation.ts";
import { startTestServer, type TestServer } from "./server.ts";
import { expectUnavailable, withinMs } from "./unavailable.ts";

export const [email, password] = ["ada@test.example", "correct horse battery"];

/** How one entry was answered. */
export interface Timed {
  readonly name: string;
  readonly answered: Response;
  readonly tookMs: number;
}

export async function timed({ name, ask }: Entry): Promise<Timed> {
  const elapsedMs = stopwatch();
  const answered = await ask();
  return { name, answered, tookMs: elapsedMs() };
}

export async function allUnavailable(asked: readonly Timed[]): Promise<void> {
  for (const { name, answered, tookMs } of asked) {
    expect(tookMs, name).toBeLessThan(withinMs);
    await expectUnavailable(answered, name);
  }
}

interface OwnPostgres {
  readonly cluster: Cluster;
  readonly server: TestServer;
  readonly ours: PopulatedOrganisation;
  /** A small read that checks whether the database is available. */
  readonly keys: Entry;
  /** A connection past the server, until the test ends. */
  client(): Promise<pg.Client>;
  /** Ends all connections but that of `administrator`. */
  endConnections(administrator: pg.Client): Promise<void>;
}

/** Real faults need a PostgreSQL that nobody else uses: the server under test is alone with it. */
export async function startOverOwnPostgres(programs: string): Promise<OwnPostgres> {
  const cluster = await startCluster(programs);
  const server = await startTestServer({
    settings: { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, DATABASE_URL: databaseUrl(cluster.server) },
  });
  const ours = await populateOrganisation(server);
  return {
    cluster,
    server,
    ours,
    keys: { name: "GET /keys", ask: () => server.send("GET", "/keys", { key: ours.key }) },
    async client() {
      const made = new pg.Client(cluster.server);
      made.on("error", () => {});
      await made.connect();
      onTestFinished(() => made.end());
      return made;
    },
    async endConnections(administrator) {
      await administrator.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
      );
    },
  };
}
