import pLimit from "p-limit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { databaseKind } from "#test/test-database.ts";
import { until } from "#test/until.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { breakStatements, passingErrors } from "./broken-statements.ts";
import { Browser, ignoreAddressLimit } from "./browser.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { allUnavailable, email, password, startOverOwnPostgres, type Timed, timed } from "./own-postgres.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { expectUnavailable, withinMs } from "./unavailable.ts";

const programs = postgresPrograms();

/** The embedded database has neither locks nor time limits. */
describe.runIf(databaseKind() === "postgres" && programs !== null)(
  "over a PostgreSQL with problems",
  async () => {
    const { cluster, server, ours, keys, client, endConnections } = await startOverOwnPostgres(
      programs ?? "",
    );
    afterAll(() => cluster.stop());
    const { send, post } = server;
    const { database } = server.services;
    ignoreAddressLimit();
    /** Every entry that uses the database, found by letting its statements fail. */
    const entries: Entry[] = [];
    beforeAll(async () => {
      const browser = await new Browser(server).signIn(email, password);
      for (const entry of entriesOf({ server, ours, browser, email, password })) {
        const broken = breakStatements(() => passingErrors["57014 statement timeout"]?.() ?? null);
        await (await entry.ask()).body?.cancel();
        broken.restore();
        if (broken.count() > 0) entries.push(entry);
      }
      expect(entries.length).toBeGreaterThan(130);
    }, 60_000);

    const named = (...names: string[]) => entries.filter(({ name }) => names.includes(name));
    /** One of each handler. */
    const sample = () =>
      named(
        "GET /keys",
        "POST /workspaces",
        "POST /invitations/view",
        "POST /auth/keys",
        "/api/trpc/keys.list",
        "/api/auth/sign-in/email",
        "a response that continues another",
        "a completion with an Idempotency-Key",
        "a completion of the playground",
      );

    test("a locked session table delays sign-in and console by less than three seconds, and nothing else", async () => {
      const holder = await client();
      await holder.query("begin; lock table session in access exclusive mode");
      await allUnavailable(
        await Promise.all(named("/api/trpc/keys.list", "/api/auth/sign-in/email").map(timed)),
      );
      expect((await keys.ask()).status).toBe(200);
      await holder.query("rollback");
      for (const { ask } of named("/api/trpc/keys.list")) expect((await ask()).status).toBe(200);
    });

    test("with every table locked, every entry answers 503 within three seconds", async () => {
      const holder = await client();
      const { rows } = await holder.query(
        "select string_agg(quote_ident(tablename), ', ') as names from pg_tables where schemaname = 'public'",
      );
      await holder.query(`begin; lock table ${rows[0].names}, jobs.job in access exclusive mode`);
      // The key and the person belong to two organisations, so that all connections are used and nobody waits for one.
      const half = limits.database.interactive.connectionsMax / 2;
      const [byKey, byPerson] = [pLimit(half), pLimit(half)];
      const asked = await Promise.all(
        entries.map((entry) => (entry.name.startsWith("/api/") ? byPerson : byKey)(() => timed(entry))),
      );
      await holder.query("rollback");
      await allUnavailable(asked);
      await until(async () => expect((await keys.ask()).status).toBe(200));
    }, 180_000);

    test("an unresponsive database is reported within three seconds, each time, and used again once it answers", async () => {
      const thaw = cluster.freeze();
      try {
        const few = sample();
        expect(few).toHaveLength(9);
        await allUnavailable(await Promise.all(few.map(timed)));
        await allUnavailable(await Promise.all(few.map(timed)));
      } finally {
        thaw();
      }
      await until(async () => expect((await keys.ask()).status).toBe(200));
    }, 60_000);

    test("connections that hang while others answer delay nobody for longer", async () => {
      // Codes and passwords have rate limits per address.
      const untried = sample().filter(({ name }) => !/auth/.test(name));
      const asked = () => Promise.all([...untried, ...untried, ...untried].map(timed));
      await asked();
      const thaw = cluster.freeze((at) => at % 2 === 0);
      try {
        for (const { name, answered, tookMs } of await asked()) {
          expect(tookMs, name).toBeLessThan(2 * withinMs);
          if (answered.status === 503) await expectUnavailable(answered, name);
          else expect(answered.status, `${name}: ${await answered.text()}`).toBeLessThan(500);
        }
      } finally {
        thaw();
      }
      await until(async () => expect((await keys.ask()).status).toBe(200));
    }, 60_000);

    test("connections that are closed while in use lead to success or 503", async () => {
      const administrator = await client();
      const end = () => endConnections(administrator);
      const asked: Promise<Timed>[] = [];
      // Few passwords are checked at the same time.
      const withoutPasswords = sample().filter(({ name }) => name !== "/api/auth/sign-in/email");
      for (let round = 0; round < 10; round++) {
        for (const entry of [...(round === 0 ? sample() : withoutPasswords), keys]) asked.push(timed(entry));
        await end();
      }
      for (const { name, answered, tookMs } of await Promise.all(asked)) {
        expect(tookMs, name).toBeLessThan(withinMs);
        if (answered.status === 503) await expectUnavailable(answered, name);
        else expect(answered.status, `${name}: ${await answered.text()}`).toBeLessThan(500);
      }
      await until(async () => expect((await keys.ask()).status).toBe(200));
    }, 60_000);

    test("a server without a free connection is reported", async () => {
      const administrator = await client();
      const { rows } = await administrator.query("show max_connections");
      const many = Array.from({ length: Number(rows[0].max_connections) }, () => {
        const one = new pg.Client(cluster.server);
        one.on("error", () => {});
        return one;
      });
      await endConnections(administrator);
      const opened = await Promise.allSettled(many.map((one) => one.connect()));
      expect(opened.some(({ status }) => status === "rejected")).toBe(true);
      // Terminates the server's connections: it must reconnect, and cannot.
      await until(async () => {
        await administrator.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = '' and query not like '' and pid <> pg_backend_pid()",
        );
        const answered = await timed(keys);
        await allUnavailable([answered]);
      });
      await Promise.allSettled(many.map((one) => one.end()));
      await until(async () => expect((await keys.ask()).status).toBe(200));
    }, 60_000);

    test("a statement that takes too long is cancelled and leaves no changes", async () => {
      const administrator = await client();
      await administrator.query(`
      create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(20); return new; end $$;
      create trigger dawdle before insert on workspace for each row execute function dawdle()`);
      const slow: Entry = {
        name: "POST /workspaces",
        ask: () => post("/workspaces", { name: "Slow" }, { key: ours.key }),
      };
      await allUnavailable(await Promise.all([timed(slow), timed(slow)]));
      await administrator.query("drop trigger dawdle on workspace; drop function dawdle()");
      expect(await database.prisma.workspace.count({ where: { name: "Slow" } })).toBe(0);
      expect((await slow.ask()).status).toBe(201);
    }, 60_000);

    test("a client that uses every connection delays nobody for longer than three seconds", async () => {
      const others = await Promise.all([populateOrganisation(server), populateOrganisation(server)]);
      const [holder, observer] = [await client(), await client()];
      await holder.query("begin; lock table workspace in access exclusive mode");
      const stuck = [ours, ...others].flatMap(({ key }) =>
        Array.from({ length: 8 }, (_, at) =>
          timed({
            name: "POST /workspaces",
            ask: () => post("/workspaces", { name: `Stuck ${at}` }, { key }),
          }),
        ),
      );
      const { connectionsMax } = limits.database.interactive;
      await until(async () => {
        const { rows } = await observer.query(
          "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'",
        );
        expect(rows[0].count).toBe(connectionsMax);
      });
      const late = await timed(keys);
      await allUnavailable([late, ...(await Promise.all(stuck))]);
      await holder.query("rollback");
      expect((await keys.ask()).status).toBe(200);
      expect(await database.prisma.workspace.count({ where: { name: { startsWith: "Stuck" } } })).toBe(0);
    }, 60_000);

    test("an organisation whose writes are all blocked leaves connections for the others", async () => {
      const others = await populateOrganisation(server);
      const [holder, observer] = [await client(), await client()];
      await holder.query("begin");
      await holder.query("select from routing_rule where id = $1 for update", [ours.ruleId]);
      const change: Entry = {
        name: "PATCH of one rule",
        ask: () =>
          send("PATCH", `/routing-rules/${ours.ruleId}`, { key: ours.key, body: '{"name":"Held up"}' }),
      };
      const { connectionsMaxPerHolder } = limits.database.queue;
      const held = async () => {
        const { rows } = await observer.query(
          "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'",
        );
        return rows[0].count;
      };
      await until(async () => {
        const stuck = Array.from({ length: 2 * connectionsMaxPerHolder }, () => timed(change));
        try {
          await vi.waitFor(async () => expect(await held()).toBe(connectionsMaxPerHolder));
          expect((await post("/keys", { name: "Free" }, { key: others.key })).status).toBe(201);
          expect(await held()).toBe(connectionsMaxPerHolder);
        } finally {
          await allUnavailable(await Promise.all(stuck));
        }
      });
      await holder.query("rollback");
      expect((await change.ask()).status).toBe(200);
    }, 60_000);
  },
);
