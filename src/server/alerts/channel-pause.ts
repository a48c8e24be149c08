import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { AlertDeps } from "./deps.ts";

const { pausedAfterFailures, firstPauseMs, pauseMaxMs, requestTimeoutMs, hastenedMax } = limits.alerts;
/** Longer than one attempt takes. */
const trialMs = 2 * requestTimeoutMs;

/** The columns of a channel that is not paused. */
export const notPaused = { failures: 0, paused_until: null, paused_since: null, paused_reason: null };

/** How long a channel is paused after this many failures in a row. */
export const pauseMsAfter = (failures: number): number =>
  failures < pausedAfterFailures
    ? 0
    : Math.min(pauseMaxMs, firstPauseMs * 2 ** Math.min(20, failures - pausedAfterFailures));

/**
 * Returns 0 if the channel may be sent to now, otherwise after which time to ask again. After a pause one caller may
 * send, in all processes, and the others wait for its result.
 */
export async function waitMsOf(
  { database: { prisma } }: AlertDeps,
  channel: { readonly id: string; readonly failures: number; readonly paused_until: Date | null },
): Promise<number> {
  if (channel.paused_until === null) return 0;
  const nowMs = clock.nowMs();
  const waitMs = channel.paused_until.getTime() - nowMs;
  if (waitMs > 0) return waitMs;
  const isTrial = await prisma.$executeRaw`
    update alert_channel set paused_until = ${dateAt(nowMs + trialMs)}
    where id = ${channel.id}::uuid and paused_until <= ${dateAt(nowMs)}`;
  return isTrial === 1 ? 0 : trialMs;
}

/** Counts a failure, and pauses the channel from the third in a row. */
export async function recordChannelFailure(
  { database: { prisma } }: AlertDeps,
  id: string,
  reason: string,
): Promise<void> {
  const [row] = await prisma.$queryRaw<{ failures: number }[]>`
    update alert_channel set failures = failures + 1 where id = ${id}::uuid returning failures`;
  const pauseMs = pauseMsAfter(row?.failures ?? 0);
  if (pauseMs === 0) return;
  const nowMs = clock.nowMs();
  await prisma.$executeRaw`
    update alert_channel set paused_until = ${dateAt(nowMs + pauseMs)}, paused_reason = ${reason},
      paused_since = coalesce(paused_since, ${dateAt(nowMs)}) where id = ${id}::uuid`;
}

/** Ends the pause, because the receiver accepted something. What waited is sent now. */
export async function recordChannelSuccess(deps: AlertDeps, id: string): Promise<void> {
  const count = await deps.database.prisma.$executeRaw`
    update alert_channel set failures = 0, paused_until = null, paused_since = null, paused_reason = null
    where id = ${id}::uuid and failures > 0`;
  if (count > 0) await hastenNotifications(deps, id);
}

/** Lets what waits for a channel be sent now. */
export async function hastenNotifications({ database, queue }: AlertDeps, channel_id: string): Promise<void> {
  const waiting = await database.prisma.alert_notification.findMany({
    where: { channel_id, sent_at: null, failed_at: null },
    select: { id: true },
    orderBy: { id: "asc" },
    take: hastenedMax,
  });
  await queue.hasten(
    "send-alert",
    waiting.map(({ id }) => id),
  );
  queue.wake("send-alert");
}
