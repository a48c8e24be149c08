import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbedded } from "#server/db/index.ts";
import { databaseUrl } from "../setup/database-url.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { begin, comeIn, end, ready, type Start, shownIn } from "./killed-start.ts";
import { type Credentials, makeOldDatabase } from "./old-database.ts";

/** `npm run test:starts` takes the long form; STARTS_FROM and STARTS_TO run a part of its rounds. */
const long = process.env.STARTS === "long";
const [firstStarts, upgrades] = long ? [50, 25] : [2, 2];
const from = Number(process.env.STARTS_FROM ?? 0);
const to = Number(process.env.STARTS_TO ?? Number.POSITIVE_INFINITY);
const roundsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => at).filter((at) => at >= from && at < to);

/** A database as a start finds it, with nobody else on it. */
interface Place {
  readonly env: Record<string, string>;
  /** The moments to aim at: each is true from some point of the start on. */
  readonly moments: readonly (() => Promise<boolean> | boolean)[];
  /** Known beforehand in a database that was used already. */
  readonly credentials: Credentials | null;
  remove(): Promise<void>;
}

const scratch = mkdtempSync(join(tmpdir(), "portolan-starts-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let places = 0;
const folder = () => join(scratch, String(places++));

/** Kills one start and requires that the next one serves. The moment is aimed at in every second round. */
async function killAndStartAgain(place: Place, round: number, startMs: number): Promise<string> {
  const killed = await begin(place.env);
  const moment = round % 2 === 0 ? place.moments[(round / 2) % place.moments.length] : undefined;
  let over = false;
  void killed.ended.then(() => {
    over = true;
  });
  const beganMs = performance.now();
  // The golden ratio spreads any number of rounds evenly over the time a start takes.
  const afterMs = ((round * 0.618) % 1) * startMs;
  const isPast = () => over || performance.now() - beganMs > 2 * startMs;
  if (moment) while (!isPast() && !(await moment())) await pause(1);
  else await Promise.race([pause(afterMs), killed.ended]);
  const atMs = Math.round(performance.now() - beganMs);
  const signal = round % 4 < 2 ? "SIGKILL" : "SIGTERM";
  if (over) throw new Error(`The start ended by itself:\n${killed.said()}`);
  await end(killed, signal);
  const next = await begin(place.env);
  try {
    await ready(next);
    const credentials = place.credentials ?? shownIn(next.said()) ?? shownIn(killed.said());
    if (!credentials) throw new Error(`Nobody was shown a way in:\n${killed.said()}\n${next.said()}`);
    await comeIn(next.origin, credentials);
    expect(next.said()).not.toContain("Portolan did not start");
    return `${signal} after ${atMs} ms`;
  } finally {
    await end(next, "SIGKILL");
  }
}

/** How long a start takes that nobody disturbs. */
async function measureStart(make: () => Promise<Place>): Promise<number> {
  const place = await make();
  const beganMs = performance.now();
  const start: Start = await begin(place.env);
  try {
    await ready(start);
    return performance.now() - beganMs;
  } finally {
    await end(start, "SIGKILL");
    await place.remove();
  }
}

async function walk(count: number, make: () => Promise<Place>): Promise<void> {
  const startMs = await measureStart(make);
  const served: string[] = [];
  const failed: string[] = [];
  for (const round of roundsOf(count)) {
    const place = await make();
    await killAndStartAgain(place, round, startMs).then(
      (what) => served.push(what),
      (error: Error) => failed.push(`round ${round}: ${error.message}`),
    );
    await place.remove();
  }
  console.log(
    `${served.length} of ${roundsOf(count).length} served after a kill (a start takes ${Math.round(startMs)} ms): ${served.join(", ")}`,
  );
  expect(failed).toEqual([]);
}

describe("on the embedded database", () => {
  const old = join(scratch, "old");
  let credentials: Credentials;
  beforeAll(async () => {
    const embedded = await startEmbedded(join(old, "database"));
    credentials = await makeOldDatabase(embedded.connection);
    await embedded.close();
  });

  const placeIn = (directory: string, known: Credentials | null, ...files: string[]): Place => ({
    env: { DATA_DIR: directory },
    credentials: known,
    moments: files.map((name) => () => existsSync(join(directory, name))),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  });

  test(
    `${firstStarts} first starts that are killed are followed by one that serves`,
    {
      timeout: firstStarts * 60_000,
    },
    () =>
      walk(firstStarts, async () =>
        placeIn(
          folder(),
          null,
          "database.new/base",
          "database",
          "encryption.key",
          "database.new",
          "spool",
          "lock.sqlite",
        ),
      ),
  );

  test(
    `${upgrades} upgrades that are killed are followed by one that serves`,
    {
      timeout: upgrades * 60_000,
    },
    () =>
      walk(upgrades, async () => {
        const directory = folder();
        cpSync(old, directory, { recursive: true });
        return placeIn(directory, credentials, "encryption.key", "lock.sqlite", "spool");
      }),
  );
});

const programs = postgresPrograms();

describe.skipIf(programs === null)("on PostgreSQL", () => {
  let cluster: Cluster;
  let administrator: pg.Client;
  let credentials: Credentials;
  beforeAll(async () => {
    cluster = await startCluster(programs ?? "");
    administrator = new pg.Client(cluster.server);
    await administrator.connect();
    await administrator.query("create database old");
    credentials = await makeOldDatabase({ ...cluster.server, database: "old" });
  });
  afterAll(async () => {
    await administrator?.end();
    await cluster?.stop();
  });

  async function placeOn(template: string, known: Credentials | null): Promise<Place> {
    const directory = folder();
    const name = `starts_${randomBytes(6).toString("hex")}`;
    await administrator.query(`create database ${name} template ${template}`);
    const watcher = new pg.Client({ ...cluster.server, database: name });
    await watcher.connect();
    const reaches = (table: string, rows: number) => async () => {
      const { rows: found } = await watcher.query("select to_regclass($1) is not null as there", [table]);
      if (!found[0].there) return false;
      return (await watcher.query(`select from ${table} limit $1`, [rows])).rowCount === rows;
    };
    const migrated = [1, 4, 5, 6, 7, 8, 11, 15, 17, 19].map((rows) => reaches("_prisma_migrations", rows));
    return {
      env: {
        DATA_DIR: directory,
        DATABASE_URL: databaseUrl({ ...cluster.server, database: name }),
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      },
      credentials: known,
      moments: [...migrated, reaches("jobs.version", 1), reaches("jobs.queue", 3), reaches("first_start", 1)],
      async remove() {
        await watcher.end();
        await administrator.query(`drop database ${name} with (force)`);
        rmSync(directory, { recursive: true, force: true });
      },
    };
  }

  test(
    `${firstStarts} first starts that are killed are followed by one that serves`,
    {
      timeout: firstStarts * 60_000,
    },
    () => walk(firstStarts, () => placeOn("template0", null)),
  );

  test(
    `${upgrades} upgrades that are killed are followed by one that serves`,
    {
      timeout: upgrades * 60_000,
    },
    () => walk(upgrades, () => placeOn("old", credentials)),
  );
});
