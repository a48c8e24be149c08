import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { verifyAudit } from "#server/audit/verify.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createSealer, type Sealer } from "#server/platform/sealing.ts";
import { addDestination, deliveryDeps } from "#test/destinations/delivering.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { assertSealingKeys, findUnreadable, purgeUnreadable } from "./index.ts";

const { connection, database } = await openTestDatabase();
// The queue makes its tables when it is opened.
await (await openQueue(connection, database, silentLog)).close();
const { prisma } = database;
const organisation = await createOrganisation(database);
const { orgId, keyId } = organisation;
const deps = deliveryDeps(database);
afterAll(() => deps.outbound.close());
const [lost, held] = [createSealer([randomBytes(32)]), createSealer([randomBytes(32)])];
const settings = { ENCRYPTION_KEY: "set", ENCRYPTION_KEY_PREVIOUS: [], dataDir: "/data" };

async function storeResponse(sealer: Sealer): Promise<string> {
  const id = uuidv7();
  await prisma.stored_response.create({
    data: {
      id,
      org_id: orgId,
      api_key_id: keyId,
      status: "completed",
      background: false,
      streamed: false,
      content: sealer.seal("content", { table: "stored_response", column: "content", rowId: id, orgId }),
      created_at: dateAt(clock.nowMs()),
      expires_at: dateAt(clock.nowMs() + 60_000),
    },
  });
  return id;
}

/** A destination with a trace that waits for it. */
async function destinationUnder(sealer: Sealer): Promise<string> {
  const id = await addDestination({ ...deps, sealer }, organisation, {
    config: { endpoint: "https://sink.example/" },
  });
  const [delivery, generation] = [uuidv7(), uuidv7()];
  const place = {
    table: "destination_delivery",
    column: "payload",
    rowId: `${generation}:sent`,
    orgId: organisation.orgId,
  };
  await prisma.destination_delivery.create({
    data: {
      id: delivery,
      destination_id: id,
      generation_id: generation,
      status: "pending",
      content: "sent",
      payload: sealer.seal("trace", place),
      due_at: dateAt(clock.nowMs()),
    },
  });
  return id;
}

const left = async () => ({
  responses: (await prisma.stored_response.findMany()).map(({ id }) => id),
  destinations: (await prisma.destination.findMany()).map(({ id }) => id),
});

test("with every key there, nothing is lost and nothing is deleted", async () => {
  await assertSealingKeys(database, held, settings);
  const stored = await storeResponse(held);
  expect(await findUnreadable(database, held)).toEqual({ servedUntil: null, keyIds: [], losses: [] });
  await purgeUnreadable(database, held);
  expect((await left()).responses).toEqual([stored]);
  await prisma.stored_response.deleteMany();
});

test("what a lost key sealed is counted, and deleted with its key; the rest stays, and the start is allowed again", async () => {
  await prisma.sealing_key.deleteMany();
  await assertSealingKeys(database, lost, settings);
  await storeResponse(lost);
  await storeResponse(lost);
  await destinationUnder(lost);
  await prisma.sealing_key.create({ data: { id: held.keyIds[0] } });
  const [response, destination] = [await storeResponse(held), await destinationUnder(held)];
  await expect(assertSealingKeys(database, held, settings)).rejects.toThrow(lost.keyIds[0]);

  const found = {
    servedUntil: null,
    keyIds: [lost.keyIds[0]],
    losses: [
      { what: "destinations", count: 1 },
      { what: "stored responses", count: 2 },
      { what: "traces that wait", count: 1 },
    ],
  };
  expect(await findUnreadable(database, held)).toEqual(found);
  expect((await left()).responses).toHaveLength(3);

  await purgeUnreadable(database, held);
  expect(await left()).toEqual({ responses: [response], destinations: [destination] });
  expect(await findUnreadable(database, held)).toEqual({ servedUntil: null, keyIds: [], losses: [] });
  await assertSealingKeys(database, held, settings);
  const entries = await prisma.audit_entry.findMany({ where: { action: "sealing_key.forget" } });
  expect(entries).toMatchObject([
    {
      subject_id: lost.keyIds[0],
      actor_type: "system",
      after: { deleted: { destinations: 1, "stored responses": 2, "traces that wait": 1 } },
    },
  ]);
  expect((await verifyAudit(database)).broken).toEqual([]);
});

test("a process that serves is noticed by its heartbeat", async () => {
  const instance_id = uuidv7();
  await prisma.instance_heartbeat.create({ data: { instance_id } });
  const { servedUntil } = await findUnreadable(database, held);
  expect(Date.parse(servedUntil ?? "")).toBeGreaterThan(clock.nowMs());
  await prisma.instance_heartbeat.deleteMany({ where: { instance_id } });
  expect((await findUnreadable(database, held)).servedUntil).toBeNull();
});
