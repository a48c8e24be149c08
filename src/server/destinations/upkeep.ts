import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";

const { backlogMax, deliveredRetentionMs, failedRetentionMs } = limits.destinations;

/** Batch size of one statement, so that none exceeds the statement timeout. */
const portion = 5_000;

/** Drops the oldest pending deliveries beyond the limit, and counts them visibly. */
async function boundBacklogs({ database, log }: DestinationDeps, max: number): Promise<void> {
  const crowded = await database.prisma.$queryRaw<{ id: string; type: string; surplus: number }[]>`
    select destination.id, type, waiting.surplus from destination join (
      select destination_id, (count(*) - ${max})::int as surplus from destination_delivery
      where status = 'pending' group by destination_id having count(*) > ${max}
    ) as waiting on waiting.destination_id = destination.id`;
  for (const { id, type, surplus } of crowded) {
    for (let left = surplus; left > 0; left -= portion) {
      await database.prisma.$executeRaw`
        with oldest as (
          select id from destination_delivery where destination_id = ${id}::uuid and status = 'pending'
          order by id limit ${Math.min(left, portion)}
        ), dropped as (
          update destination_delivery
          set status = 'dropped', payload = null, finished_at = now(), reason = 'Too many traces waited'
          where id in (select id from oldest) and status = 'pending' returning id
        )
        update destination set dropped = dropped + (select count(*) from dropped) where id = ${id}::uuid`;
    }
    log.warn({ event: "destination", code: type, count: surplus }, "Traces were dropped: too many waited");
  }
}

/** Deletes delivered and failed deliveries after their retention time, with their content. */
async function purgeFinished({ database }: DestinationDeps): Promise<void> {
  const { prisma } = database;
  const before = (retentionMs: number) => dateAt(clock.nowMs() - retentionMs);
  const inPortions = async (remove: () => Promise<number>) => {
    while ((await remove()) === portion);
  };
  const finished = (statuses: string[], retentionMs: number) => () =>
    prisma.$executeRaw`
    delete from destination_delivery where id in (
      select id from destination_delivery
      where finished_at < ${before(retentionMs)} and status = any(${statuses}) limit ${portion}
    )`;
  await inPortions(finished(["delivered", "dropped"], deliveredRetentionMs));
  await inPortions(finished(["failed"], failedRetentionMs));
  // Pending deliveries of a destination that stays switched off are deleted like failed ones.
  await inPortions(
    () => prisma.$executeRaw`
      delete from destination_delivery where id in (
        select id from destination_delivery
        where status = 'pending' and created_at < ${before(failedRetentionMs)} limit ${portion}
      )`,
  );
}

interface Backlog {
  readonly destination_id: string;
  readonly waiting: number;
  readonly lag_ms: number;
}

/**
 * Every minute: enforces limits, deletes old deliveries, updates metrics, and starts delivery where no worker is
 * active.
 */
export async function maintainDeliveries(deps: DestinationDeps, max: number = backlogMax): Promise<void> {
  await boundBacklogs(deps, max);
  await purgeFinished(deps);
  const backlogs = await deps.database.prisma.$queryRaw<Backlog[]>`
    select delivery.destination_id, count(*)::int as waiting,
      (extract(epoch from now() - min(delivery.created_at)) * 1000)::float8 as lag_ms
    from destination_delivery as delivery join destination on destination.id = delivery.destination_id
    where delivery.status = 'pending' and destination.enabled and destination.stopped_reason is null
    group by delivery.destination_id`;
  deps.metrics.deliveryBacklog.set(backlogs.reduce((sum, { waiting }) => sum + waiting, 0));
  deps.metrics.deliveryLag.set(Math.max(0, ...backlogs.map(({ lag_ms }) => lag_ms)) / 1000);
  await wakeDeliveryWorkers(
    deps,
    backlogs.map(({ destination_id }) => destination_id),
  );
}
