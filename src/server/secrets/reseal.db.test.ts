import { randomBytes } from "node:crypto";
import type pg from "pg";
import { expect, test } from "vitest";
import { verifyAudit } from "#server/audit/verify.ts";
import type { Database } from "#server/db/index.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { SettingsError } from "#server/platform/env.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createSealer, keyIdOf, type Sealer } from "#server/platform/sealing.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { sourceFiles } from "../../../test/architecture/source-files.ts";
import { assertSealingKeys, changeSealingKey } from "./index.ts";
import { sealedColumns } from "./sealed-columns.ts";

const { connection, database } = await openTestDatabase();
// The queue makes its tables when it is opened.
await (await openQueue(connection, database, silentLog)).close();
const { prisma } = database;
const { orgId, keyId } = await createOrganisation(database);
const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const [before, during, after] = [
  createSealer([first]),
  createSealer([second, first]),
  createSealer([second]),
];
const count = 550;
const { signal } = new AbortController();
const change = (over: Database, own: AbortSignal = signal, sealer: Sealer = during) =>
  changeSealingKey({ database: over, sealer, log: silentLog }, { signal: own });

const placeOf = (id: string) => ({ table: "stored_response", column: "content", rowId: id, orgId });
const ids = Array.from({ length: count }, () => uuidv7());
await prisma.stored_response.createMany({
  data: ids.map((id) => ({
    id,
    org_id: orgId,
    api_key_id: keyId,
    status: "completed",
    background: false,
    streamed: false,
    content: before.seal(`content of ${id}`, placeOf(id)),
    created_at: dateAt(clock.nowMs()),
    expires_at: dateAt(clock.nowMs() + 60_000),
  })),
});
await prisma.sealing_key.create({ data: { id: before.keyIds[0] } });

const contents = () =>
  prisma.stored_response.findMany({ select: { id: true, content: true }, orderBy: { id: "asc" } });
const underFirst = async () =>
  (await contents()).filter(({ content }) => keyIdOf(content) === before.keyIds[0]);
const moved = async () => (await prisma.sealing_key.findUnique({ where: { id: before.keyIds[0] } }))?.moved;

/** The database, with something that happens at statements which change secrets. */
const disturbed = (at: (changes: number, client: pg.ClientBase) => Promise<void>): Database => {
  let changes = 0;
  return {
    ...database,
    batch: (work) =>
      database.batch((client) => {
        const query = async (text: string, values: unknown[]) => {
          if (text.includes("update stored_response")) await at(++changes, client);
          return client.query(text, values);
        };
        return work({ query } as unknown as pg.ClientBase);
      }),
  };
};

const settings = { ENCRYPTION_KEY: "set", ENCRYPTION_KEY_PREVIOUS: [], dataDir: "/data" };
const problemsOf = async (sealer: Sealer, own: object = {}) => {
  const error = await assertSealingKeys(database, sealer, { ...settings, ...own }).catch((thrown) => thrown);
  if (error === undefined) return [];
  if (error instanceof SettingsError) return error.problems;
  throw error;
};

test("whatever code seals has its place in the table, and the table holds nothing else", () => {
  const places = sourceFiles("src/server")
    .filter(({ path }) => !path.includes("sealed-columns"))
    .flatMap(({ text }) => [...text.matchAll(/table: "([\w.]+)",\s+column: "(\w+)"/g)])
    .map(([, table, column]) => `${table}.${column}`)
    // Sealed with what the client brings, not with the installation's key, and for some seconds.
    .filter((place) => place !== "authorization_code.answer")
    // Clients have it, so it cannot be sealed again.
    .filter((place) => place !== "compaction.summary");
  expect([...new Set(places)].sort()).toEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
  );
});

test("a start without the key is refused and says which setting is wrong", async () => {
  const id = before.keyIds[0];
  const end = `its secrets are sealed with ${id}. Give that key back, or, if the key was changed, name the earlier one in ENCRYPTION_KEY_PREVIOUS. If it is lost for good: docs/operations.md, "A lost encryption key"`;
  expect(await problemsOf(after)).toEqual([`ENCRYPTION_KEY does not hold the key of this database: ${end}`]);
  expect(await problemsOf(after, { ENCRYPTION_KEY: undefined })).toEqual([
    `/data/encryption.key does not hold the key of this database: ${end}`,
  ]);
  const previous = [third.toString("base64")];
  expect(await problemsOf(createSealer([second, third]), { ENCRYPTION_KEY_PREVIOUS: previous })).toEqual([
    `ENCRYPTION_KEY_PREVIOUS lacks a key: secrets in the database are sealed with ${id}`,
  ]);
  expect(await problemsOf(before)).toEqual([]);
  expect(await problemsOf(during)).toEqual([]);
});

test("killed in the middle nothing is lost or half done, and what was moved is counted", async () => {
  const dying = disturbed(async (changes) => {
    if (changes === 3) throw new Error("killed");
  });
  await expect(change(dying)).rejects.toThrow("killed");
  expect([(await underFirst()).length, await moved()]).toEqual([count - 200, 200]);
  const time = new AbortController();
  const stopped = disturbed(async () => time.abort());
  await expect(change(stopped, time.signal)).rejects.toThrow("must still be encrypted");
  expect([(await underFirst()).length, await moved()]).toEqual([count - 300, 300]);
  for (const { id, content } of await contents()) {
    expect(during.open(content, placeOf(id))).toBe(`content of ${id}`);
  }
});

test("what somebody changes meanwhile stays as they changed it, and comes next", async () => {
  const [row] = await underFirst();
  if (!row) throw new Error("nothing is left to be changed");
  const theirs = before.seal("theirs", placeOf(row.id));
  // Over the same connection, because the embedded database has one transaction at a time.
  const crossed = disturbed(async (changes, client) => {
    if (changes === 1)
      await client.query("update stored_response set content = $2 where id = $1", [row.id, theirs]);
  });
  await expect(change(crossed)).rejects.toThrow("must still be encrypted");
  expect(await underFirst()).toEqual([{ id: row.id, content: theirs }]);
  expect(await moved()).toBe(count - 1);
});

test("at the end everything opens with the new key alone, the change is in the audit log, and the old key is not needed", async () => {
  const [lost, ...others] = ids;
  const damaged = `${before.seal("x", placeOf("another place"))}`;
  await prisma.stored_response.update({ where: { id: lost ?? "" }, data: { content: damaged } });
  await change(database);
  for (const { id, content } of await contents()) {
    if (id === lost) expect(content).toBe(damaged);
    else expect(after.open(content, placeOf(id))).toMatch(/^content of |^theirs$/);
  }
  expect(others).toHaveLength(count - 1);
  expect(await prisma.sealing_key.findMany({ select: { id: true } })).toEqual([{ id: after.keyIds[0] }]);
  const entries = await prisma.audit_entry.findMany({ where: { action: "sealing_key.retire" } });
  expect(entries).toMatchObject([
    {
      subject_id: before.keyIds[0],
      actor_type: "system",
      after: { sealed_with: after.keyIds[0], moved: count, unreadable: 1 },
    },
  ]);
  expect((await verifyAudit(database)).broken).toEqual([]);
  expect(await problemsOf(after)).toEqual([]);
});

test("with one key there is nothing to do", async () => {
  const untouched = { ...database, batch: () => Promise.reject(new Error("asked the database")) };
  await change(untouched, signal, after);
});
