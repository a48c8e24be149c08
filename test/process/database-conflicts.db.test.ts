import type pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { toAppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { databaseKind } from "#test/test-database.ts";
import { until } from "#test/until.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { allUnavailable, startOverOwnPostgres, timed } from "./own-postgres.ts";

const programs = postgresPrograms();

/** The embedded database has one connection, so conflicts cannot occur. */
describe.runIf(databaseKind() === "postgres" && programs !== null)(
  "transactions that PostgreSQL rolls back because of others",
  async () => {
    const { cluster, server, ours, keys, client, endConnections } = await startOverOwnPostgres(
      programs ?? "",
    );
    afterAll(() => cluster.stop());
    const { send } = server;
    const { database } = server.services;

    /** Reads a workspace, lets another connection change it, then changes it too: a serialization failure. */
    const overtaken = (id: string, other: pg.Client, isOvertaken: (run: number) => boolean) => {
      let runs = 0;
      const work = database.transaction(async (tx) => {
        const run = ++runs;
        await tx.$executeRaw`set transaction isolation level repeatable read`;
        await tx.workspace.findUnique({ where: { id } });
        if (isOvertaken(run))
          await other.query("update workspace set description = $2 where id = $1", [id, `run ${run}`]);
        await tx.workspace.update({ where: { id }, data: { description: "ours" } });
      });
      return { work, runs: () => runs };
    };

    test("a conflicting transaction is run again; after repeated conflicts the client is asked to retry", async () => {
      const { id } = await database.prisma.workspace.create({
        data: { org_id: ours.orgId, name: "Overtaken" },
      });
      const other = await client();
      const twice = overtaken(id, other, (run) => run <= 2);
      await twice.work;
      expect(twice.runs()).toBe(3);
      const always = overtaken(id, other, () => true);
      const error = toAppError(await always.work.catch((thrown: unknown) => thrown));
      expect(error).toMatchObject({ code: "SERVICE_UNAVAILABLE", headers: { "retry-after": "1" } });
      expect(always.runs()).toBe(limits.database.conflicts.attemptsMax);
    }, 30_000);

    test("at an isolation level that refuses every conflict, concurrent changes succeed or ask for a retry", async () => {
      const administrator = await client();
      const isolate = async (level: string) => {
        await administrator.query(`alter role postgres set default_transaction_isolation = '${level}'`);
        await endConnections(administrator);
        await until(async () => expect((await keys.ask()).status).toBe(200));
      };
      await isolate("serializable");
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          timed({
            name: "PATCH of one rule",
            ask: () =>
              send("PATCH", `/routing-rules/${ours.ruleId}`, {
                key: ours.key,
                body: JSON.stringify({ name: `Isolated ${at}` }),
              }),
          }),
        ),
      );
      await isolate("read committed");
      const refused = asked.filter(({ answered }) => !answered.ok);
      await allUnavailable(refused);
      expect(refused.length).toBeLessThan(asked.length);
    }, 60_000);

    test("two transactions in a deadlock both succeed", async () => {
      const [one, other] = await Promise.all(
        ["One", "Other"].map((name) =>
          database.prisma.workspace.create({ data: { org_id: ours.orgId, name: `Dead ${name}` } }),
        ),
      );
      if (!one || !other) throw new Error("There are no two workspaces");
      const met = Promise.withResolvers<void>();
      let waiting = 0;
      let runs = 0;
      const both = (first: string, second: string) =>
        database.transaction(async (tx) => {
          runs++;
          await tx.workspace.update({ where: { id: first }, data: { description: { set: first } } });
          if (++waiting === 2) met.resolve();
          await met.promise;
          await tx.workspace.update({ where: { id: second }, data: { description: { set: first } } });
        });
      await Promise.all([both(one.id, other.id), both(other.id, one.id)]);
      expect(runs).toBe(3);
    }, 30_000);
  },
);
