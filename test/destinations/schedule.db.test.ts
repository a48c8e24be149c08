import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { addDestination, deliveryDeps, runDeliveryWorker, storeTraces } from "./delivering.ts";
import { startRecorder } from "./recorder.ts";

const { database } = await openTestDatabase();
const deps = deliveryDeps(database);
const sink = await startRecorder();
const hour = 3_600_000;
let nowMs = 0;

beforeEach(() => {
  // The database stamps what is stored with its own time: ours is later.
  nowMs = Date.now() + 60_000;
  vi.spyOn(clock, "nowMs").mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  sink.seen.length = 0;
});

async function setUp() {
  const ours = await createOrganisation(database);
  const id = await addDestination(deps, ours, { config: { endpoint: sink.origin } });
  return {
    trace: () => storeTraces(deps, [generationRow(ours)]),
    run: () => runDeliveryWorker(deps, id),
    destination: () => database.prisma.destination.findUniqueOrThrow({ where: { id } }),
    delivery: () =>
      database.prisma.destination_delivery.findFirstOrThrow({
        where: { destination_id: id },
        orderBy: { id: "asc" },
      }),
  };
}

test("a trace that is refused is retried after 5 s, twice as long each time, ±20 %, and given up after a day", async () => {
  sink.reply = () => ({ status: 503 });
  const { trace, run, destination, delivery } = await setUp();
  await trace();
  const bornMs = (await delivery()).created_at.getTime();
  const gaps: number[] = [];
  for (;;) {
    await run();
    const row = await delivery();
    expect(row.attempts).toBe(gaps.length + 1);
    if (row.status !== "pending") break;
    const { paused_until } = await destination();
    const nextMs = Math.max(row.due_at.getTime(), paused_until?.getTime() ?? 0);
    gaps.push(nextMs - nowMs);
    if (gaps.length < 5) {
      nowMs = nextMs - 1;
      await run();
      expect(sink.seen, "nothing before its time").toHaveLength(gaps.length);
    }
    nowMs = nextMs;
  }
  expect(await delivery()).toMatchObject({
    status: "failed",
    reason: "Answered 503; given up after 24 hours",
  });
  expect(nowMs - bornMs).toBeGreaterThan(24 * hour);
  expect(nowMs - bornMs).toBeLessThan(25.5 * hour);
  gaps.forEach((gap, at) => {
    const plain = at + 1 >= 50 ? hour : Math.min(1_800_000, 5000 * 2 ** at);
    expect([at, gap / plain >= 0.8 && gap / plain <= 1.2]).toEqual([at, true]);
  });
  expect(gaps.length).toBeGreaterThan(40);
});

test("429 with Retry-After is waited for, by everything that waits", async () => {
  sink.reply = () => ({ status: 429, headers: { "retry-after": "7200" } });
  const { trace, run, delivery } = await setUp();
  await trace();
  await run();
  nowMs += 1000;
  await trace();
  sink.reply = () => ({ status: 200 });
  nowMs += 2 * hour - 1001;
  await run();
  expect(sink.seen).toHaveLength(1);
  nowMs += 1;
  await run();
  expect(sink.seen).toHaveLength(2);
  expect(await delivery()).toMatchObject({ status: "delivered", attempts: 2 });
});

test("410 stops it at once, 120 hours without a success stop it, and a success in between counts from the start", async () => {
  const { trace, run, destination } = await setUp();
  const tryAt = async (hours: number, status: number) => {
    nowMs += hours * hour;
    sink.reply = () => ({ status });
    await trace();
    await run();
    return (await destination()).stopped_reason;
  };
  expect(await tryAt(0, 503)).toBeNull();
  expect(await tryAt(119, 503)).toBeNull();
  expect(await tryAt(2, 200)).toBeNull();
  expect(await tryAt(2, 503)).toBeNull();
  expect(await tryAt(119.9, 503)).toBeNull();
  expect(await tryAt(0.2, 503)).toBe("Nothing could be delivered for 120 hours");
  const sent = sink.seen.length;
  expect(await tryAt(1, 200)).not.toBeNull();
  expect(sink.seen).toHaveLength(sent);

  const gone = await setUp();
  sink.reply = () => ({ status: 410 });
  await gone.trace();
  await gone.run();
  expect((await gone.destination()).stopped_reason).toContain("410");
});
