import { expect, test } from "vitest";
import { maintainDeliveries } from "#server/destinations/upkeep.ts";
import { limits } from "#server/platform/limits.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { addDestination, deliveryDeps, runDeliveryWorker, storeTraces } from "./delivering.ts";
import { startRecorder } from "./recorder.ts";

const { database } = await openTestDatabase();
const deps = deliveryDeps(database);

test("one destination that never answers delays none of 49 others", async () => {
  const [sink, hole] = [await startRecorder(), await startRecorder()];
  hole.reply = () => ({ status: 200, silent: true });
  const places: string[] = [];
  const organisations = [];
  // Five of a type is what an organisation may have.
  for (let organisation = 0; organisation < 10; organisation++) {
    const ours = await createOrganisation(database);
    for (let at = 0; at < 5; at++) {
      const endpoint = places.length === 0 ? hole.origin : sink.origin;
      places.push(await addDestination(deps, ours, { config: { endpoint } }));
    }
    organisations.push(ours);
  }
  const rows = organisations.flatMap((ours) => Array.from({ length: 5 }, () => generationRow(ours)));
  await storeTraces(deps, rows);
  const end = new AbortController();
  const [dead, ...others] = places;
  let ended = false;
  const hanging = runDeliveryWorker(deps, dead ?? "", end.signal).finally(() => {
    ended = true;
  });
  // As many as a process works on at once, one of which hangs.
  const turns = Array.from({ length: limits.destinations.workers - 1 }, async () => {
    for (let id = others.pop(); id !== undefined; id = others.pop()) await runDeliveryWorker(deps, id);
  });
  await Promise.all(turns);
  const delivered = { destination_id: { not: dead ?? "" }, status: "delivered" };
  expect(await database.prisma.destination_delivery.count({ where: delivered })).toBe(49 * 5);
  // The first request to the one that hangs is still open: nobody waited for it.
  expect(hole.seen).toHaveLength(1);
  expect(ended).toBe(false);
  end.abort();
  await hanging;
  const waiting = { destination_id: dead ?? "", status: "pending" };
  expect(await database.prisma.destination_delivery.count({ where: waiting })).toBe(5);
});

test("of more than may wait the oldest are dropped, without content, and counted", async () => {
  const ours = await createOrganisation(database);
  const id = await addDestination(deps, ours, { config: { endpoint: "http://127.0.0.1:1" } });
  const rows = Array.from({ length: 300 }, () => generationRow(ours));
  await storeTraces(deps, rows);
  await maintainDeliveries(deps, 200);
  const stored = await database.prisma.destination_delivery.findMany({
    where: { destination_id: id },
    orderBy: { id: "asc" },
  });
  expect(stored.slice(0, 100).every(({ status, payload }) => status === "dropped" && payload === null)).toBe(
    true,
  );
  expect(stored.slice(100).every(({ status, payload }) => status === "pending" && payload !== null)).toBe(
    true,
  );
  expect(await database.prisma.destination.findUnique({ where: { id } })).toMatchObject({ dropped: 100n });
});

test("long traces go out in requests of a bounded length, the oldest first, each once", async () => {
  const ours = await createOrganisation(database);
  const sink = await startRecorder();
  const id = await addDestination(deps, ours, { config: { endpoint: sink.origin } });
  const rows = Array.from({ length: 60 }, () => generationRow(ours));
  const said = "a".repeat(200_000);
  await storeTraces(deps, rows, {
    input: [{ role: "user", parts: [{ type: "text", content: said }] }],
    output: [],
  });
  await runDeliveryWorker(deps, id);
  const delivered = { destination_id: id, status: "delivered" };
  expect(await database.prisma.destination_delivery.count({ where: delivered })).toBe(60);
  const lengths = sink.seen.map(({ body }) => body.length);
  expect(Math.max(...lengths)).toBeLessThan(limits.destinations.requestBytesMax);
  expect(lengths.length).toBeGreaterThan(10);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(60 * 210_000);
});
