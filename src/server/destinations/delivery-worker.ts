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

/** Few destinations use the database at the same time, to leave connections for other work. */
const inTurn = pLimit(statementsMax);

/** The worker of one destination: only one of them sends to it at a time. */
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

/** The trace of a delivery, or why it is no longer available. */
function traceFor({ deps, row }: DeliveryWorker, due: DueDelivery): Waiting | string {
  if (due.payload === null || due.generation === null) return "The record of the generation was deleted";
  try {
    const opened = deps.sealer.open(due.payload, payloadPlace(due, row.org_id));
    const facts = tellsOfPersons(due.content) ? due.generation : impersonalFacts(due.generation);
    return { due, trace: traceOf(due.delivery_id, facts, JSON.parse(opened) as TracePayload) };
  } catch (error) {
    // A payload sealed with a lost key must not block the others.
    deps.log.error(
      { event: "destination", generation_id: due.generation_id, error },
      "A trace cannot be read",
    );
    return "The stored content of the generation cannot be read";
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
  gone: "The destination answered 410 Gone and was stopped",
  silent: "Nothing could be delivered for 120 hours",
} as const;

/** Pauses or stops a destination that keeps failing. Returns true if nothing more may be sent now. */
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
      // Other processes can stop collecting for it.
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

/**
 * A configuration stored by an earlier release may be invalid. Other destinations are delivered to in the meantime.
 */
const noRequest = {
  outcome: "never",
  status: null,
  reason: "The request could not be made: test the destination, and correct its configuration",
  retryAfterMs: null,
} as const;

/**
 * Sends one request. If it is refused permanently, one of its traces may be the reason, so its halves are retried.
 */
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

/** Splits traces into requests, limited in number and length. */
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

/** Sends the taken traces in several parallel requests. Returns the results in order of completion. */
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
 * Summarizes a round: failures count from the last success on. A partial refusal is not a failure of the destination,
 * but its reason is recorded.
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
 * Takes and sends due deliveries in rounds, at least one, until the time is up. Returns true if deliveries are left
 * that no notification announces.
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

/**
 * Delivers what is pending for one destination, for a limited time; the rest is left to another job. At least once,
 * with stable ids.
 */
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
  // Under another key, so that new traces do not wait for retries.
  const later = { key: `${id} later`, delaySeconds, hasten: true };
  await deps.queue.enqueue(null, "broadcast-traces", { destination_id: id }, later);
}
