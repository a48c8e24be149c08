import { expect, test, vi } from "vitest";
import { z } from "zod";
import { data } from "#contract/common.ts";
import { until } from "#test/until.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

/** The clock of this process is an hour slow; the database's is right. Done before anything else is loaded. */
const RealDate = vi.hoisted(() => {
  const Right = globalThis.Date;
  const slowMs = 3_600_000;
  globalThis.Date = class extends Right {
    constructor(...given: [] | [number]) {
      super(...(given.length === 0 ? ([Right.now() - slowMs] as const) : given));
    }
    static override now = () => Right.now() - slowMs;
  } as DateConstructor;
  return Right;
});
const at = (ms: number): string => new RealDate(RealDate.now() + ms).toISOString();

const server = await startTestServer();
const ours = await populateOrganisation(server);
const { database } = server.services;

const post = (path: string, body: object) =>
  server.send("POST", path, { key: ours.key, body: JSON.stringify(body) });
const Made = z.object({ data: z.looseObject({ created_at: z.string() }), key: z.string() });

test("a key ends by the database's clock", async () => {
  const made = await answer(Made, await post("/keys", { name: "Short", expires_at: at(2_500) }), 201);
  const use = () => server.send("GET", "/key", { key: made.key });
  expect((await use()).status).toBe(200);
  await until(async () => expect((await use()).status).toBe(401));
  await refusal(await post("/keys", { name: "Late", expires_at: at(-1_000) }), 400, "expires_at");
});

test("new records have the database's time", async () => {
  const Row = data(z.looseObject({ created_at: z.string(), updated_at: z.string() }));
  const made = await answer(Row, await post("/workspaces", { name: "Now" }), 201);
  const change = { key: ours.key, body: JSON.stringify({ description: "Changed" }) };
  const changed = await answer(Row, await server.send("PATCH", `/workspaces/${made.data.id}`, change));
  for (const time of [made.data.created_at, changed.data.updated_at])
    expect(Math.abs(RealDate.parse(time) - RealDate.now())).toBeLessThan(60_000);
});

test("no table has a time by the clock of the process", async () => {
  await post("/chat/completions", { model: "sandbox/chat", messages: [{ role: "user", content: "Hello" }] });
  await server.services.billing.drain();
  const columns = await database.prisma.$queryRaw<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'timestamp with time zone'
      -- The start of an hour can be an hour ago by any clock.
      and column_name <> 'hour' order by 1, 2`;
  expect(columns.length).toBeGreaterThan(40);
  const [slow, right]: [string[], string[]] = [[], []];
  for (const { table, column } of columns) {
    const near = `"${column}" between now() - interval '70 minutes' and now() - interval '50 minutes'`;
    const rows = await database.statement<{ slow: boolean; right: boolean }>(
      `select coalesce(bool_or(${near}), false) as slow,
         coalesce(bool_or("${column}" between now() - interval '5 minutes' and now()), false) as right from "${table}"`,
      [],
    );
    if (rows[0]?.slow) slow.push(`${table}.${column}`);
    if (rows[0]?.right) right.push(`${table}.${column}`);
  }
  expect(slow).toEqual([]);
  expect(right).toEqual(
    expect.arrayContaining([
      "api_key.created_at",
      "api_key.updated_at",
      "audit_entry.occurred_at",
      "destination.created_at",
      "generation.started_at",
      "invitation.created_at",
      "routing_rule.updated_at",
      "stored_response.created_at",
      "workspace.created_at",
    ]),
  );
});
