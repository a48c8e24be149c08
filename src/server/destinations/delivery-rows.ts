import type pg from "pg";
import type { PrismaClient } from "#generated/prisma/client.ts";
import type { Statement } from "#server/db/index.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { PlannedTrace } from "./broadcast.ts";
import type { GenerationFacts } from "./trace/facts.ts";

const { leaseMs, takeBytesMax, writeBytesMax, writeRowsMax } = limits.destinations;

/** Stores what was planned, in the transaction of the generations. Destinations that are gone get nothing. */
const insertPlanned = `
  insert into destination_delivery
    (id, destination_id, generation_id, status, content, payload, attempts, due_at)
  select delivery.id, destination.id, planned.generation_id, 'pending', planned.content, planned.payload, 0, now()
  from json_to_recordset($1::json) as planned (generation_id uuid, content text, payload text, deliveries json)
  cross join json_to_recordset(planned.deliveries) as delivery (id uuid, destination_id uuid)
  join destination on destination.id = delivery.destination_id
  on conflict do nothing
  returning destination_id`;

/** In order, so much at a time as one statement may carry. */
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

/** Returns the destinations that something waits for now. */
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

/** Deliveries that ended before they began, and their destinations' failures. Destinations are locked in one order. */
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

/** Notes why destinations get nothing of generations, where people see it. */
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
 * What is taken is not due again before the lease ends: a second worker finds nothing, and what a dead one had comes
 * back by itself.
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
      'fx_usd_per_eur', generation.fx_usd_per_eur::text
    ) as generation,
    (select count(*) from due) = $3 or (select count(*) from due) > (select count(*) from taken) as more
  from held left join generation on generation.id = held.generation_id
  order by held.id`;

export interface DueDelivery {
  readonly delivery_id: string;
  readonly generation_id: string;
  readonly content: string;
  readonly payload: string | null;
  readonly attempts: number;
  readonly created_ms: number;
  /** The end of the lease, by which its holder is known. */
  readonly held_until: Date;
  readonly generation: GenerationFacts | null;
}

/**
 * Takes what is to be sent to a destination now, the longest waiting first, for `leaseMs`: so many, and no more than
 * one beyond `takeBytesMax`. `more` says whether others may be due as well.
 */
export async function takeDeliveries(
  statement: Statement,
  destinationId: string,
  nowMs: number,
  max: number,
): Promise<{ due: DueDelivery[]; more: boolean }> {
  const due = await statement<DueDelivery & { readonly more: boolean }>(takeDue, [
    destinationId,
    dateAt(nowMs),
    max,
    dateAt(nowMs + leaseMs),
    takeBytesMax,
  ]);
  return { due, more: due[0]?.more ?? false };
}

/** What became of one delivery. */
export interface Finished {
  readonly id: string;
  /** Of the lease it was taken with. */
  readonly held_until: Date;
  readonly status: "delivered" | "pending" | "failed";
  readonly due_at: string;
  readonly response_code: number | null;
  readonly reason: string | null;
}

/** How the requests of one round went, taken together. */
export interface Round {
  /** Whether any arrived. */
  readonly delivered: boolean;
  /** Those that failed after the last that arrived, and why the last of them did. */
  readonly failures: number;
  readonly reason: string | null;
  readonly gone: boolean;
  /** The longest wait that was asked for. */
  readonly retryAfterMs: number | null;
}

/** How often a destination has failed in a row, and since when. */
export interface Failing {
  readonly failures: number;
  readonly failing_since_ms: number;
}

/**
 * That a delivery arrived is true whoever says it; anything else is for its present holder alone to say. A round in
 * which nothing was sent says nothing of the destination.
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
 * Notes how a round went. Returns how the destination fails, null when it does not, and whether anything else of its
 * is to be tried later, or again: who is told of what is new is not told of that. With `more` due anyway that is not
 * asked.
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
 * When there is more to do for a destination, and not before it has rested; null when nothing waits, or it is to get
 * nothing.
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
