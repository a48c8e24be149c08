import { AlertChannelType } from "#contract/alert-channel.ts";
import { AlertEvent } from "#contract/alert-incident.ts";
import { AlertKind, AlertScope } from "#contract/alert-kind.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { hourOf, overLimit, readAllowance } from "./channel-limit.ts";
import { recordChannelFailure, recordChannelSuccess, waitMsOf } from "./channel-pause.ts";
import { channelColumns, secretsOf } from "./channel-rows.ts";
import { NotAccepted, sendOver } from "./channel-senders.ts";
import type { AlertDeps } from "./deps.ts";
import { type AlertMessage, incidentMessage, limitMessage } from "./message.ts";

const { giveUpAfterMs, orderDelaySeconds: delaySeconds, perChannelAndHourMax } = limits.alerts;

const columns = {
  id: true,
  incident_id: true,
  channel_id: true,
  event: true,
  sent_at: true,
  failed_at: true,
  created_at: true,
  channel: { select: { ...channelColumns, failures: true, paused_until: true } },
  incident: { include: { rule: { select: { id: true, name: true, kind: true, scope: true } } } },
} as const satisfies Prisma.alert_notificationSelect;
type Row = Prisma.alert_notificationGetPayload<{ select: typeof columns }>;

const messageOf = ({ publicUrl }: AlertDeps, { event, incident }: Row): AlertMessage =>
  incidentMessage(
    AlertEvent.parse(event),
    {
      id: incident.id,
      ruleId: incident.rule.id,
      ruleName: incident.rule.name,
      kind: AlertKind.parse(incident.rule.kind),
      scope: AlertScope.parse(incident.rule.scope),
      subject: incident.subject,
      title: incident.title,
      detail: incident.detail,
      openedAt: incident.opened_at,
      resolvedAt: incident.resolved_at,
    },
    publicUrl,
  );

const isOpeningPending = async ({ database }: AlertDeps, { event, incident_id, channel_id }: Row) =>
  event === "resolved" &&
  (await database.prisma.alert_notification.count({
    where: { incident_id, channel_id, event: "opened", sent_at: null, failed_at: null },
  })) > 0;

const isTooOld = ({ created_at }: Row): boolean => clock.nowMs() - created_at.getTime() >= giveUpAfterMs;

/** Records that a notification is not sent, without an attempt. */
async function giveUpUnsent({ database }: AlertDeps, id: string, last_error: string): Promise<void> {
  await database.prisma.alert_notification.updateMany({
    where: { id, sent_at: null },
    data: { failed_at: dateAt(clock.nowMs()), last_error },
  });
}

/** Records a failed attempt. Throws what makes the queue try again, unless it is given up. */
async function recordFailure(deps: AlertDeps, row: Row, error: NotAccepted): Promise<void> {
  const { database, log } = deps;
  const nowMs = clock.nowMs();
  const isOver = error.isFinal || isTooOld(row);
  await database.prisma.alert_notification.updateMany({
    where: { id: row.id, sent_at: null },
    data: {
      attempts: { increment: 1 },
      last_error: error.message,
      ...(isOver && { failed_at: dateAt(nowMs) }),
    },
  });
  if (!error.isFinal) await recordChannelFailure(deps, row.channel_id);
  if (!isOver) throw error;
  log.error({ event: "alert", code: row.channel.type, reason: error.message }, "A notification was given up");
}

/**
 * The job: sends one notification, and records that it was accepted. If the process dies in between, it is sent
 * again with the same id. Throws if it must be tried again.
 */
export async function sendNotification(
  deps: AlertDeps,
  { id }: { readonly id: string },
  signal?: AbortSignal,
): Promise<void> {
  const { database, queue, sealer } = deps;
  const row = await database.prisma.alert_notification.findUnique({ where: { id }, select: columns });
  if (!row || row.sent_at !== null || row.failed_at !== null) return;
  if (await isOpeningPending(deps, row)) {
    await queue.enqueue(null, "send-alert", { id }, { delaySeconds });
    return;
  }
  const allowance = await readAllowance(deps, row);
  if (allowance === "drop") return giveUpUnsent(deps, id, overLimit);
  const waitMs = await waitMsOf(deps, row.channel);
  if (waitMs > 0) {
    if (isTooOld(row)) return giveUpUnsent(deps, id, "Not sent: the receiver accepted nothing for a day");
    await queue.enqueue(null, "send-alert", { id }, { delaySeconds: Math.ceil(waitMs / 1_000) });
    return;
  }
  const message =
    allowance === "send"
      ? messageOf(deps, row)
      : limitMessage(hourOf(row.created_at), perChannelAndHourMax, deps.publicUrl);
  try {
    const sending = { secrets: secretsOf(sealer, row.channel), id, message, signal };
    await sendOver(AlertChannelType.parse(row.channel.type), deps, sending);
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
    return recordFailure(deps, row, error);
  }
  await database.prisma.alert_notification.updateMany({
    where: { id, sent_at: null },
    data: { sent_at: dateAt(clock.nowMs()), attempts: { increment: 1 }, last_error: null },
  });
  await recordChannelSuccess(deps, row.channel_id);
}
