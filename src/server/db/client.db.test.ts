import pg from "pg";
import { expect, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { openDatabase } from "./client.ts";

const { connection, database } = await openTestDatabase();

test("concurrent statements and transactions on many connections do not mix", async () => {
  const { orgId } = await createOrganisation(database);
  const pool = new pg.Pool({ ...connection, max: 8 });
  const increment = async () => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query(
        "update credit_balance set used_pico_eur = used_pico_eur + $1 where account_id = $2",
        [1, orgId],
      );
      await client.query("commit");
    } finally {
      client.release();
    }
  };
  const echo = async (number: number) => {
    const { rows } = await pool.query("select $1::int as number, $2::text as text", [number, `n${number}`]);
    expect(rows).toEqual([{ number, text: `n${number}` }]);
  };
  await Promise.all(Array.from({ length: 400 }, (_, at) => (at % 4 === 0 ? increment() : echo(at))));
  await pool.end();
  const balance = await database.prisma.credit_balance.findUniqueOrThrow({ where: { account_id: orgId } });
  expect(balance.used_pico_eur.toNumber()).toBe(100);
});

test("statements of other connections do not enter a transaction", async () => {
  const { orgId } = await createOrganisation(database);
  const rename = (name: string) =>
    database.prisma.organisation.update({ where: { id: orgId }, data: { name } });
  const undone = database.transaction(async (tx) => {
    await tx.organisation.update({ where: { id: orgId }, data: { plan: "undone" } });
    throw new Error("on purpose");
  });
  const other = createOrganisation(database);
  await expect(undone).rejects.toThrow("on purpose");
  await rename("kept");
  const { orgId: otherId } = await other;
  expect(await database.prisma.organisation.findUnique({ where: { id: orgId } })).toMatchObject({
    name: "kept",
    plan: "self_hosted",
  });
  expect(await database.prisma.organisation.findUnique({ where: { id: otherId } })).not.toBeNull();
});

test("a connection that breaks in a transaction leaves no changes and no locks", async () => {
  const { orgId } = await createOrganisation(database);
  const dying = new pg.Client(connection);
  dying.on("error", () => {});
  await dying.connect();
  await dying.query("begin");
  await dying.query("update organisation set plan = 'half' where id = $1", [orgId]);
  await dying.end();
  expect(await database.prisma.organisation.findUnique({ where: { id: orgId } })).toMatchObject({
    plan: "self_hosted",
  });
});

test("every statement is counted", async () => {
  const metrics = createMetrics();
  const counted = openDatabase(connection, metrics, silentLog);
  const statements = async () => (await metrics.statements.get()).values[0]?.value ?? 0;
  await counted.prisma.organisation.findFirst();
  expect(await statements()).toBe(1);
  await counted.transaction(async (tx) => {
    await tx.organisation.findFirst();
  });
  // BEGIN, SELECT, COMMIT
  expect(await statements()).toBe(4);
  await counted.close();
});
