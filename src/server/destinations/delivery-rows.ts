import type pg from "pg";
import type { PrismaClient } from "#generated/prisma/client.ts";
import { type AttemptColumns, attemptsOf, type Statement } from "#server/db/index.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { PlannedTrace } from "./broadcast.ts";
import type { GenerationFacts } from "./trace/facts.ts";

const { leaseMs, takeBytesMax, writeBytesMax, writeRowsMax } = limits.destinations;

/** Stores planned deliveries in the transaction of the generations. Deleted destinations get nothing. */
const insertPlanned = `
  insert into destination_delivery
    (id, destination_id, generation_id, status, content, payload, attempts, due_at)
  select delivery.id, destination.id, planned.generation_id, 'pending', planned.content, planned.payload, 0, now()
  from json_to_recordset($1::json) as planned (generation_id uuid, content text, payload text, deliveries json)
  cross join json_to_recordset(planned.deliveries) as delivery (id uuid, destination_id uuid)
  join destination on destination.id = delivery.destination_id
  on conflict do nothing
  returning destination_id`;

/** Inserts in order, in batches that fit one statement. */
function* portions(planned: readonly PlannedTrace[]): Generator<PlannedTrace[]> {
  let portion: PlannedTrace[] = [];
  let [bytes, rows] = [0, 0];
  for (const trace of planned) {
    portion.push(trace);
    bytes += trace.payload.length;
    rows += trace.deliveries.length;
    if (bytes < writeBytesMax && rows < writeRowsMax) continue;
    yield portion;
    portion = [];
    [bytes, rows] = [0, 0];
  }
  if (portion.length > 0) yield portion;
}

/** Returns the destinations with pending deliveries. */
export async function writeDeliveries(
  client: pg.ClientBase,
  planned: readonly PlannedTrace[],
): Promise<string[]> {
  const waiting = new Set<string>();
  for (const portion of portions(planned)) {
    const { rows } = await client.query<{ destination_id: string }>(insertPlanned, [JSON.stringify(portion)]);
    for (const { destination_id } of rows) waiting.add(destination_id);
  }
  return [...waiting];
}

export interface FailedDelivery {
  readonly id: string;
  readonly destination_id: string;
  readonly generation_id: string;
  readonly content: string;
  readonly reason: string;
}

/**
 * Deliveries that failed before they started, and the failures of their destinations. Destinations are locked in a
 * fixed order.
 */
const insertFailed = `
  with failed as (
    select * from json_to_recordset($1::json)
      as failed (id uuid, destination_id uuid, generation_id uuid, content text, reason text)
  ), locked as (
    select id from destination where id in (select destination_id from failed) order by id for update
  ), noted as (
    insert into destination_delivery
      (id, destination_id, generation_id, status, content, payload, attempts, due_at, reason, finished_at)
    select failed.id, locked.id, failed.generation_id, 'failed', failed.content, null, 0, now(), failed.reason, now()
    from failed join locked on locked.id = failed.destination_id
    on conflict do nothing
    returning destination_id, reason
  )
  update destination
  set failures = failures + counted.count, failing_since = coalesce(failing_since, now()), last_error = counted.reason
  from (select destination_id, count(*)::int as count, max(reason) as reason from noted group by destination_id) as counted
  where destination.id = counted.destination_id`;

/** Records why destinations get nothing of generations, visible in the console. */
export async function writeFailed(client: pg.ClientBase, failed: readonly FailedDelivery[]): Promise<void> {
  if (failed.length > 0) await client.query(insertFailed, [JSON.stringify(failed)]);
}

/** Those of the generations that are in the database. */
export async function storedGenerations(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>(
    "select id from generation where id = any($1::uuid[])",
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * A taken delivery is not due again before its lease ends: no other worker finds it, and after a crash it becomes due
 * by itself.
 */
const takeDue = `
  with due as (
    select id, due_at, coalesce(octet_length(payload), 0) as bytes from destination_delivery
    where destination_id = $1 and status = 'pending' and due_at <= $2
    order by due_at, id limit $3 for update skip locked
  ), taken as (
    select id from (select id, sum(bytes) over (order by due_at, id) - bytes as before from due) as sized
    where before < $5
  ), held as (
    update destination_delivery as delivery set due_at = $4
    from taken where delivery.id = taken.id
    returning delivery.*
  )
  select held.id as delivery_id, held.generation_id, held.content, held.payload, held.attempts, held.due_at as held_until,
    (extract(epoch from held.created_at) * 1000)::float8 as created_ms,
    to_jsonb(generation) || jsonb_build_object(
      'cost_pico_usd', generation.cost_pico_usd::text,
      'cost_pico_eur', generation.cost_pico_eur::text,
      'upstream_pico_usd', generation.upstream_pico_usd::text,
      'fx_usd_per_eur', generation.fx_usd_per_eur::text,
      'rule_ids', coalesce(basis.body #> '{models,0,rules}', (generation.decision #> '{models,0,rules}')::json, '[]')
    ) as generation,
    (select count(*) from due) = $3 or (select count(*) from due) > (select count(*) from taken) as more
  from held left join generation on generation.id = held.generation_id
  left join decision_basis basis on basis.org_id = generation.org_id and basis.hash = generation.decision_hash
  order by held.id`;

export interface DueDelivery {
  readonly delivery_id: string;
  readonly generation_id: string;
  readonly content: string;
  readonly payload: string | null;
  readonly attempts: number;
  readonly created_ms: number;
  /** The end of the lease, which identifies its holder. */
  readonly held_until: Date;
  readonly generation: GenerationFacts | null;
}

/** A taken delivery as the statement returns it. */
interface TakenRow extends Omit<DueDelivery, "generation"> {
  readonly generation: (Omit<GenerationFacts, "attempts"> & AttemptColumns) | null;
  readonly more: boolean;
}

/**
 * Takes the due deliveries of a destination, oldest first, for `leaseMs`: a bounded number, with at most one beyond
 * `takeBytesMax`. `more` says whether others may be due as well.
 */
export async function takeDeliveries(
  statement: Statement,
  destinationId: string,
  nowMs: number,
  max: number,
): Promise<{ due: DueDelivery[]; more: boolean }> {
  const taken = await statement<TakenRow>(takeDue, [
    destinationId,
    dateAt(nowMs),
    max,
    dateAt(nowMs + leaseMs),
    takeBytesMax,
  ]);
  const due = taken.map(({ more: _, generation, ...row }) => ({
    ...row,
    generation: generation && { ...generation, attempts: attemptsOf(generation) },
  }));
  return { due, more: taken[0]?.more ?? false };
}

/** The result of one delivery. */
export interface Finished {
  readonly id: string;
  /** The lease it was taken with. */
  readonly held_until: Date;
  readonly status: "delivered" | "pending" | "failed";
  readonly due_at: string;
  readonly response_code: number | null;
  readonly reason: string | null;
}

/** The results of one round together. */
export interface Round {
  /** Whether any was delivered. */
  readonly delivered: boolean;
  /** The failures after the last success, and the reason of the last one. */
  readonly failures: number;
  readonly reason: string | null;
  readonly gone: boolean;
  /** The longest requested pause. */
  readonly retryAfterMs: number | null;
}

/** How often a destination has failed in a row, and since when. */
export interface Failing {
  readonly failures: number;
  readonly failing_since_ms: number;
}

/**
 * A successful delivery is recorded from any worker; other results only from the current lease holder. A round that
 * sent nothing does not change the destination.
 */
const finishRound = `
  with done as (
    select * from json_to_recordset($1::json)
      as done (id uuid, held_until timestamptz, status text, due_at timestamptz, response_code int, reason text)
  ), finished as (
    update destination_delivery as delivery
    set status = done.status, attempts = delivery.attempts + 1, due_at = done.due_at,
      response_code = done.response_code, reason = done.reason,
      finished_at = case when done.status = 'pending' then null else $2::timestamptz end,
      payload = case when done.status = 'delivered' then null else delivery.payload end
    from done
    where delivery.id = done.id and delivery.status = 'pending'
      and (done.status = 'delivered' or delivery.due_at = done.held_until)
    returning delivery.id
  ), noted as (
    update destination set
      failures = case when $5::boolean then 0 else failures end + $6::int,
      failing_since = case when $6::int = 0 then null when $5 then $2::timestamptz else coalesce(failing_since, $2) end,
      last_error = $7::text,
      paused_until = case when $5 then null else paused_until end,
      last_delivered_at = case when $5 then $2 else last_delivered_at end
    -- Deliveries are locked before their destination, as everywhere: what nobody asks for would come last.
    where id = $3 and $4::boolean and (select count(*) from finished) >= 0
    returning failures, (extract(epoch from failing_since) * 1000)::float8 as failing_since_ms
  )
  -- With a backlog the question is idle, and answering it would mean to look through all of it.
  select noted.*, case when $8::boolean then false else exists(
    select from destination_delivery
    where destination_id = $3 and status = 'pending' and (due_at > $2 or attempts > 0)
      and id not in (select id from done)
  ) end as later
  from (values (true)) as always left join noted on true`;

/**
 * Records the result of a round. Returns the destination's failures, null without any, and whether other deliveries
 * of it are due later, of which nobody is notified. Not checked if there is `more` to do anyway.
 */
export async function finishDeliveries(
  statement: Statement,
  destinationId: string,
  finished: readonly Finished[],
  { delivered, failures, reason }: Round,
  { nowMs, more }: { readonly nowMs: number; readonly more: boolean },
): Promise<{ failing: Failing | null; later: boolean }> {
  const [found] = await statement<Failing & { readonly later: boolean }>(finishRound, [
    JSON.stringify(finished),
    dateAt(nowMs),
    destinationId,
    delivered || failures > 0,
    delivered,
    failures,
    reason,
    more,
  ]);
  return { failing: failures > 0 && found?.failures ? found : null, later: found?.later ?? false };
}

/**
 * The time of the destination's next delivery, not before its pause ends; null if nothing is pending or it is
 * switched off.
 */
export async function continueAtMs(prisma: PrismaClient, destinationId: string): Promise<number | null> {
  const [row] = await prisma.$queryRaw<{ at_ms: number | null }[]>`
    select (extract(epoch from greatest(due.at, paused_until)) * 1000)::float8 as at_ms
    from destination cross join lateral (
      select min(due_at) as at from destination_delivery
      where destination_id = destination.id and status = 'pending'
    ) as due
    where destination.id = ${destinationId}::uuid and enabled and stopped_reason is null and due.at is not null`;
  return row?.at_ms ?? null;
}
