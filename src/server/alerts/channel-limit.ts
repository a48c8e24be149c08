import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { AlertDeps } from "./deps.ts";

const hourMs = 60 * 60 * 1_000;
const { perChannelAndHourMax: max } = limits.alerts;

/** Why a notification has failed that the limit excludes. */
export const overLimit = `Not sent: a channel gets ${max} alerts in an hour at most`;

/** What happens with an alert: it is sent, or the one message about the limit instead, or nothing. */
export type Allowance = "send" | "summary" | "drop";

export const allowanceOf = (earlierInHour: number): Allowance =>
  earlierInHour < max ? "send" : earlierInHour === max ? "summary" : "drop";

/** The hour of the clock that a moment is in. */
export function hourOf(at: Date): { readonly from: Date; readonly until: Date } {
  const fromMs = Math.floor(at.getTime() / hourMs) * hourMs;
  return { from: dateAt(fromMs), until: dateAt(fromMs + hourMs) };
}

/**
 * Decides from the order of the hour's alerts, so that every attempt and process decides the same. Messages that an
 * incident is over do not count: each has a place of its own with the alert that was sent.
 */
export async function readAllowance(
  { database: { prisma } }: AlertDeps,
  {
    id,
    channel_id,
    created_at,
  }: { readonly id: string; readonly channel_id: string; readonly created_at: Date },
): Promise<Allowance> {
  const { from, until } = hourOf(created_at);
  return allowanceOf(
    await prisma.alert_notification.count({
      where: { channel_id, event: "opened", created_at: { gte: from, lt: until }, id: { lt: id } },
    }),
  );
}
