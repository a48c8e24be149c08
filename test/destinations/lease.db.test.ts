import { expect, test, vi } from "vitest";
import { clock, dateAt } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { addDestination, deliveryDeps, runDeliveryWorker, storeTraces } from "./delivering.ts";
import { startHeldRecorder } from "./recorder.ts";

const { database, another } = await openTestDatabase();
const [first, second] = [deliveryDeps(database), deliveryDeps(another())];
const ours = await createOrganisation(database);

/** One trace on its way, whose request has reached the sink and is not answered. */
async function underWay() {
  const sink = await startHeldRecorder();
  const id = await addDestination(first, ours, { config: { endpoint: sink.origin } });
  await storeTraces(first, [generationRow(ours)]);
  const working = runDeliveryWorker(first, id);
  await until(() => expect(sink.held).toHaveLength(1));
  const stored = () =>
    database.prisma.destination_delivery.findFirstOrThrow({ where: { destination_id: id } });
  return { sink, id, working, stored };
}

/** The first worker hangs for longer than what it took is its own. */
const leaseEnds = (id: string) =>
  database.prisma.destination_delivery.updateMany({
    where: { destination_id: id },
    data: { due_at: dateAt(clock.nowMs() - 1) },
  });

test("what a worker has under way no other worker sends", async () => {
  const { sink, id, working, stored } = await underWay();
  await runDeliveryWorker(second, id);
  expect(sink.held).toHaveLength(1);
  sink.held[0]?.({ status: 200 });
  await working;
  expect(await stored()).toMatchObject({ status: "delivered", attempts: 1 });
});

test("a worker that comes late cannot turn a delivered trace back", async () => {
  const { sink, id, working, stored } = await underWay();
  await leaseEnds(id);
  const delivering = runDeliveryWorker(second, id);
  await until(() => expect(sink.held).toHaveLength(2));
  sink.held[1]?.({ status: 200 });
  await delivering;
  const delivered = await stored();
  expect(delivered).toMatchObject({ status: "delivered", attempts: 1, payload: null });
  sink.held[0]?.({ status: 503 });
  await working;
  expect(await stored()).toEqual(delivered);
});

test("a worker that comes late does not give up what another one is sending", async () => {
  const { sink, id, working, stored } = await underWay();
  await leaseEnds(id);
  const delivering = runDeliveryWorker(second, id);
  await until(() => expect(sink.held).toHaveLength(2));
  const held = await stored();
  sink.held[0]?.({ status: 403 });
  await working;
  expect(await stored()).toEqual(held);
  sink.held[1]?.({ status: 200 });
  await delivering;
  expect(await stored()).toMatchObject({ status: "delivered" });
});

test("that it arrived is believed of a worker that comes late", async () => {
  const { sink, id, working, stored } = await underWay();
  await leaseEnds(id);
  const delivering = runDeliveryWorker(second, id);
  await until(() => expect(sink.held).toHaveLength(2));
  sink.held[0]?.({ status: 200 });
  await working;
  sink.held[1]?.({ status: 503 });
  await delivering;
  expect(await stored()).toMatchObject({ status: "delivered" });
});

test("a retry that falls due while other traces are being sent is put in line again", async () => {
  const enqueueAll = vi.fn(async () => {});
  const reported = { ...first, queue: { ...first.queue, enqueueAll } };
  const sink = await startHeldRecorder();
  const id = await addDestination(first, ours, { config: { endpoint: sink.origin } });
  const [due, later] = [generationRow(ours), generationRow(ours)];
  await storeTraces(first, [due, later]);
  // It failed before, and its time comes while the request of the other is under way.
  const its = { destination_id: id, generation_id: later.id };
  await database.prisma.destination_delivery.updateMany({
    where: its,
    data: { attempts: 1, due_at: dateAt(clock.nowMs() + 3_600_000) },
  });
  const working = runDeliveryWorker(reported, id);
  await until(() => expect(sink.held).toHaveLength(1));
  await database.prisma.destination_delivery.updateMany({
    where: its,
    data: { due_at: dateAt(clock.nowMs() - 1) },
  });
  sink.held[0]?.({ status: 200 });
  await working;
  expect(enqueueAll).toHaveBeenCalledTimes(1);
});
