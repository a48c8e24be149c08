import pLimit from "p-limit";
import { raiseConfigVersion } from "#server/db/index.ts";
import type { JobRun } from "#server/jobs/queue/job-table.ts";
import { clock, dateAt, isoTime } from "#server/platform/clock.ts";
import { systemRandom } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { yieldEvery } from "#server/platform/yield-every.ts";
import { type AttemptResult, attempt, senderOver } from "./attempt.ts";
import { restMs, retryDelayMs } from "./backoff.ts";
import { payloadPlace } from "./broadcast.ts";
import {
  continueAtMs,
  type DueDelivery,
  type Failing,
  type Finished,
  finishDeliveries,
  type Round,
  takeDeliveries,
} from "./delivery-rows.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";
import { configOf, type DestinationRow, destinationColumns } from "./destination-rows.ts";
import type { DestinationKind, Send } from "./kind.ts";
import { kindOf } from "./registry.ts";
import type { TracePayload } from "./trace/facts.ts";
import { impersonalFacts, tellsOfPersons } from "./trace/impersonal.ts";
import { type Trace, traceOf } from "./trace/trace.ts";

const { concurrency, workerTurnMs, giveUpAfterMs, requestBytesMax, statementsMax, stopAfterMs } =
  limits.destinations;

/** Of many destinations at once few ask the database: what they leave of it is for everybody else. */
const inTurn = pLimit(statementsMax);

/** One destination's work: everything that is sent to it goes through one of these at a time. */
interface DeliveryWorker {
  readonly deps: DestinationDeps;
  readonly row: DestinationRow;
  readonly kind: DestinationKind;
  readonly config: object;
  readonly send: Send;
}

interface Waiting {
  readonly due: DueDelivery;
  readonly trace: Trace;
}

/** The trace of a delivery, or why there is none to be had any more. */
function traceFor({ deps, row }: DeliveryWorker, due: DueDelivery): Waiting | string {
  if (due.payload === null || due.generation === null) return "The record of the generation is gone";
  try {
    const opened = deps.sealer.open(due.payload, payloadPlace(due, row.org_id));
    const facts = tellsOfPersons(due.content) ? due.generation : impersonalFacts(due.generation);
    return { due, trace: traceOf(due.delivery_id, facts, JSON.parse(opened) as TracePayload) };
  } catch (error) {
    // The others are not kept waiting by one that a lost key has sealed.
    deps.log.error(
      { event: "destination", generation_id: due.generation_id, error },
      "A trace cannot be read",
    );
    return "What was kept of the generation cannot be read";
  }
}

function finishedBy(result: AttemptResult, due: DueDelivery, nowMs: number): Finished {
  const { delivery_id: id, held_until } = due;
  const base = { id, held_until, due_at: isoTime(nowMs), response_code: result.status };
  if (result.outcome === "delivered") return { ...base, status: "delivered", reason: null };
  const { reason } = result;
  if (result.outcome === "never" || result.outcome === "partly") return { ...base, status: "failed", reason };
  if (nowMs - due.created_ms > giveUpAfterMs) {
    return { ...base, status: "failed", reason: `${reason}; given up after 24 hours` };
  }
  const delayMs = retryDelayMs(due.attempts + 1, result.retryAfterMs, systemRandom);
  return { ...base, status: "pending", due_at: isoTime(nowMs + delayMs), reason };
}

const stopReasons = {
  gone: "The destination answered 410 Gone: it wants nothing any more",
  silent: "Nothing could be delivered for 120 hours",
} as const;

/** Rests or stops a destination that keeps failing. True when nothing more is to be sent now. */
async function restOrStop({ deps, row }: DeliveryWorker, went: Round, failing: Failing): Promise<boolean> {
  const nowMs = clock.nowMs();
  const why = went.gone
    ? stopReasons.gone
    : nowMs - failing.failing_since_ms > stopAfterMs
      ? stopReasons.silent
      : null;
  if (why !== null) {
    await deps.database.transaction(async (tx) => {
      await tx.destination.updateMany({ where: { id: row.id }, data: { stopped_reason: why } });
      // Other processes need not gather for it any more.
      await raiseConfigVersion(tx);
    });
    deps.log.warn({ event: "destination", reason: why, code: row.type }, "A destination was stopped");
    return true;
  }
  const ms = restMs(failing.failures, went.retryAfterMs, systemRandom);
  if (ms === 0) return false;
  await deps.database.prisma.destination.updateMany({
    where: { id: row.id },
    data: { paused_until: dateAt(nowMs + ms) },
  });
  return true;
}

interface Sent {
  readonly result: AttemptResult;
  readonly batch: readonly Waiting[];
}

/** What was stored by an earlier release may be no configuration any more. Others are delivered to meanwhile. */
const noRequest = {
  outcome: "never",
  status: null,
  reason: "The request could not be made: test the destination, and correct its configuration",
  retryAfterMs: null,
} as const;

/** Sends one request's worth. What is refused as it is may hold one trace that is at fault: halves are tried. */
async function sendBatch(worker: DeliveryWorker, batch: readonly Waiting[], sent: Sent[]): Promise<void> {
  const { kind, config, send, deps, row } = worker;
  const traces = batch.map(({ trace }) => trace);
  const result = await attempt(kind, config, traces, send).catch((error: unknown) => {
    deps.log.error({ event: "destination", code: row.type, error }, noRequest.reason);
    return noRequest;
  });
  const divisible = result.outcome === "never" && [400, 413, 422].includes(result.status ?? 0);
  if (!divisible || batch.length === 1) {
    sent.push({ result, batch });
    return;
  }
  const half = Math.ceil(batch.length / 2);
  await sendBatch(worker, batch.slice(0, half), sent);
  await sendBatch(worker, batch.slice(half), sent);
}

/** What goes into one request each: so many traces at most, and of long ones fewer. */
function batchesOf({ batchMax }: DestinationKind, waiting: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let bytes = 0;
  for (const one of waiting) {
    const takes = one.due.payload?.length ?? 0;
    const last = batches.at(-1);
    if (last && last.length < batchMax && bytes + takes <= requestBytesMax) {
      last.push(one);
      bytes += takes;
    } else {
      batches.push([one]);
      bytes = takes;
    }
  }
  return batches;
}

/** Sends what was taken, several requests at a time. What became of each, in the order in which they ended. */
async function sendTaken(
  worker: DeliveryWorker,
  due: readonly DueDelivery[],
): Promise<{ sent: Sent[]; lost: Finished[] }> {
  const [waiting, lost, sent]: [Waiting[], Finished[], Sent[]] = [[], [], []];
  const pause = yieldEvery();
  for (const delivery of due) {
    const found = traceFor(worker, delivery);
    if (typeof found !== "string") waiting.push(found);
    else {
      const { delivery_id: id, held_until } = delivery;
      const due_at = isoTime(clock.nowMs());
      lost.push({ id, held_until, status: "failed", due_at, response_code: null, reason: found });
    }
    await pause(delivery.payload?.length ?? 0);
  }
  await Promise.all(batchesOf(worker.kind, waiting).map((batch) => sendBatch(worker, batch, sent)));
  return { sent, lost };
}

const arrived = ({ outcome }: AttemptResult): boolean => outcome === "delivered" || outcome === "partly";

/**
 * What a round says of the destination: failures count from the last success on. One that refuses a part takes the
 * rest, so it is none; its reason is told.
 */
function roundOf(sent: readonly Sent[]): Round {
  const results = sent.map(({ result }) => result);
  const failures = results.slice(results.findLastIndex(arrived) + 1);
  const waits = results.map((result) => ("retryAfterMs" in result ? (result.retryAfterMs ?? 0) : 0));
  const last = failures.at(-1) ?? results.findLast(({ outcome }) => outcome === "partly");
  return {
    delivered: failures.length < results.length,
    failures: failures.length,
    reason: last && "reason" in last ? last.reason : null,
    gone: results.some(({ outcome }) => outcome === "gone"),
    retryAfterMs: Math.max(0, ...waits) || null,
  };
}

/**
 * Takes and sends what is due, round by round: one at least, then until time is up. True when something of the
 * destination's is left to be done that nobody else knows of.
 */
async function work(worker: DeliveryWorker, untilMs: number, signal: AbortSignal): Promise<boolean> {
  const { deps, row, kind } = worker;
  const { statement } = deps.database;
  const max = Math.max(kind.batchMax, concurrency);
  do {
    const taken = await inTurn(async () =>
      signal.aborted ? null : takeDeliveries(statement, row.id, clock.nowMs(), max),
    );
    if (!taken || taken.due.length === 0) return true;
    const { due, more } = taken;
    const { sent, lost } = await sendTaken(worker, due);
    const nowMs = clock.nowMs();
    const went = roundOf(sent);
    const finished = sent.flatMap(({ result, batch }) =>
      batch.map((waiting) => finishedBy(result, waiting.due, nowMs)),
    );
    const all = [...finished, ...lost];
    const { failing, later } = await inTurn(() =>
      finishDeliveries(statement, row.id, all, went, { nowMs, more }),
    );
    for (const { result, batch } of sent) {
      deps.metrics.deliveries.inc({ type: row.type, outcome: result.outcome }, batch.length);
    }
    if (failing !== null && (await restOrStop(worker, went, failing))) return true;
    if (!more) return later || all.some(({ status }) => status === "pending");
  } while (!signal.aborted && clock.monotonicMs() < untilMs);
  return true;
}

/** Delivers what waits for one destination, for a while; what remains is another job's. At least once, by stable ids. */
export async function deliverTraces(
  deps: DestinationDeps,
  { destination_id: id }: { destination_id: string },
  { signal }: JobRun,
): Promise<void> {
  const untilMs = clock.monotonicMs() + workerTurnMs;
  const row = await deps.database.prisma.destination.findUnique({
    where: { id },
    select: destinationColumns,
  });
  const ready = row?.enabled && row.stopped_reason === null;
  let more = true;
  if (row && ready && (row.paused_until?.getTime() ?? 0) <= clock.nowMs()) {
    const send = senderOver(deps.outbound, signal);
    const worker = { deps, row, kind: kindOf(row.type), config: configOf(deps.sealer, row), send };
    more = await work(worker, untilMs, signal);
  }
  if (!more) return;
  const nextMs = await continueAtMs(deps.database.prisma, id);
  if (nextMs === null) return;
  const delaySeconds = Math.ceil((nextMs - clock.nowMs()) / 1000);
  if (delaySeconds <= 0) return wakeDeliveryWorkers(deps, [id]);
  // In a line of its own: what is new does not wait for what is to be tried again.
  const later = { key: `${id} later`, delaySeconds, hasten: true };
  await deps.queue.enqueue(null, "broadcast-traces", { destination_id: id }, later);
}
