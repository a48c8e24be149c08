import { AlertChannelType } from "#contract/alert-channel.ts";
import { AlertEvent, AlertResolution } from "#contract/alert-incident.ts";
import { AlertKind, AlertScope } from "#contract/alert-kind.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { hourOf, overLimit, readAllowance } from "./channel-limit.ts";
import { recordChannelFailure, recordChannelSuccess, waitMsOf } from "./channel-pause.ts";
import { channelColumns, secretsOf } from "./channel-rows.ts";
import { NotAccepted, sendOver } from "./channel-senders.ts";
import { shownChannel } from "./confirmations.ts";
import type { AlertDeps } from "./deps.ts";
import { type AlertMessage, incidentMessage, limitMessage } from "./message.ts";

const { giveUpAfterMs, orderDelaySeconds, perChannelAndHourMax, unconfirmedDelaySeconds } = limits.alerts;
const unconfirmed = "Not sent: the owner of the address had not confirmed it";
const neverAnnounced = "Not sent: the channel was not told that the incident opened";

const columns = {
  id: true,
  incident_id: true,
  channel_id: true,
  event: true,
  sent_at: true,
  failed_at: true,
  attempts: true,
  created_at: true,
  channel: { select: channelColumns },
  incident: true,
} as const satisfies Prisma.alert_notificationSelect;
type Row = Prisma.alert_notificationGetPayload<{ select: typeof columns }>;

/** What a message is made of. One with a problem is not sent: it would say something else. */
function storedMessage({ event, incident, channel }: Row) {
  return readColumns(
    { ...incident, event, type: channel.type },
    {
      event: [AlertEvent, "opened"],
      kind: [AlertKind, "error_rate"],
      scope: [AlertScope, "organisation"],
      resolution: [AlertResolution.nullable(), null],
      type: [AlertChannelType, "webhook"],
    },
  );
}

function messageOf({ publicUrl }: AlertDeps, row: Row): AlertMessage {
  const { incident } = row;
  const { event, kind, scope, resolution } = storedMessage(row);
  return incidentMessage(
    event,
    {
      id: incident.id,
      ruleId: incident.rule_id,
      ruleName: incident.rule_name,
      kind,
      scope,
      subject: incident.subject,
      title: incident.title,
      detail: incident.detail,
      openedAt: incident.opened_at,
      resolvedAt: incident.resolved_at,
      resolution,
    },
    publicUrl,
  );
}

/**
 * What became of the alert that a notification belongs to: it waits, or it was tried, or the channel does not know of
 * the incident because the limit of the hour or a pause excluded it.
 */
async function openingOf(
  { database }: AlertDeps,
  { incident_id, channel_id }: Row,
): Promise<"pending" | "tried" | "unknown"> {
  const opening = await database.prisma.alert_notification.findUnique({
    where: { incident_id_channel_id_event: { incident_id, channel_id, event: "opened" } },
    select: { sent_at: true, failed_at: true, attempts: true },
  });
  if (opening && opening.sent_at === null && opening.failed_at === null) return "pending";
  return opening && (opening.sent_at !== null || opening.attempts > 0) ? "tried" : "unknown";
}

const isTooOld = ({ created_at }: Row): boolean => clock.nowMs() - created_at.getTime() >= giveUpAfterMs;

/** Records that a notification is not sent, without an attempt. */
async function giveUpUnsent({ database }: AlertDeps, id: string, last_error: string): Promise<null> {
  await database.prisma.alert_notification.updateMany({
    where: { id, sent_at: null },
    data: { failed_at: dateAt(clock.nowMs()), last_error },
  });
  return null;
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
  await recordChannelFailure(deps, row.channel_id, error.message);
  if (!isOver) throw error;
  log.error({ event: "alert", code: row.channel.type, reason: error.message }, "A notification was given up");
}

/** Puts the job in again, for later. */
async function postpone({ queue }: AlertDeps, id: string, afterSeconds: number): Promise<null> {
  await queue.enqueue(null, "send-alert", { id }, { key: id, delaySeconds: afterSeconds });
  return null;
}

const isUnconfirmed = async ({ database }: AlertDeps, { channel }: Row): Promise<boolean> =>
  (await shownChannel(database.prisma, channel)).confirmation === "pending";

/** When to look again whether the alert was sent that this message follows. */
async function orderDelayOf(deps: AlertDeps, row: Row): Promise<number> {
  if (await isUnconfirmed(deps, row)) return unconfirmedDelaySeconds;
  const pauseMs = (row.channel.paused_until?.getTime() ?? 0) - clock.nowMs();
  return orderDelaySeconds + Math.max(0, Math.ceil(pauseMs / 1_000));
}

/**
 * Whether nothing is sent because the owner of the address has not confirmed it. It waits for that, for a day. What
 * was over before the confirmation is not sent any more.
 */
async function isHeldBack(deps: AlertDeps, row: Row): Promise<boolean> {
  const { id, channel, incident, event, attempts, created_at } = row;
  const isPending = await isUnconfirmed(deps, row);
  const hasWaited = isPending || (channel.confirmed_at !== null && channel.confirmed_at > created_at);
  if (!hasWaited || attempts > 0 || event === "resolved") return false;
  if (incident.resolved_at !== null || (isPending && isTooOld(row))) {
    await giveUpUnsent(deps, id, unconfirmed);
    return true;
  }
  if (isPending) await postpone(deps, id, unconfirmedDelaySeconds);
  return isPending;
}

/** What is sent for a notification: what it says, or that the limit of the hour is reached. Null for nothing now. */
async function messageFor(deps: AlertDeps, row: Row): Promise<AlertMessage | null> {
  const { id } = row;
  const { problem } = storedMessage(row);
  if (problem !== null) return giveUpUnsent(deps, id, `Not sent: it cannot be read. ${problem}`);
  if (row.event === "resolved") {
    const opening = await openingOf(deps, row);
    if (opening === "pending") return postpone(deps, id, await orderDelayOf(deps, row));
    if (opening === "unknown") return giveUpUnsent(deps, id, neverAnnounced);
    return messageOf(deps, row);
  }
  if (await isHeldBack(deps, row)) return null;
  const allowance = await readAllowance(deps, row);
  if (allowance === "drop") return giveUpUnsent(deps, id, overLimit);
  return allowance === "send"
    ? messageOf(deps, row)
    : limitMessage(hourOf(row.created_at), perChannelAndHourMax, deps.publicUrl);
}

/** What is recorded when the receiver has accepted a message. About the limit there is no attempt: nothing else was sent. */
const acceptedAs = ({ type }: AlertMessage, at: Date) =>
  type === "alert.limited"
    ? { failed_at: at, attempts: 0, last_error: overLimit }
    : { sent_at: at, attempts: { increment: 1 }, last_error: null };

/**
 * The job: sends one notification, and records that it was accepted. If the process dies in between, it is sent
 * again with the same id. Throws if it must be tried again.
 */
export async function sendNotification(
  deps: AlertDeps,
  { id }: { readonly id: string },
  signal?: AbortSignal,
): Promise<void> {
  const { database, sealer } = deps;
  const row = await database.prisma.alert_notification.findUnique({ where: { id }, select: columns });
  if (!row || row.sent_at !== null || row.failed_at !== null) return;
  const message = await messageFor(deps, row);
  if (message === null) return;
  const waitMs = await waitMsOf(deps, row.channel);
  if (waitMs > 0) {
    await (isTooOld(row)
      ? giveUpUnsent(deps, id, "Not sent: the receiver accepted nothing for a day")
      : postpone(deps, id, Math.ceil(waitMs / 1_000)));
    return;
  }
  try {
    const sending = { secrets: secretsOf(sealer, row.channel), id, message, signal };
    await sendOver(storedMessage(row).type, deps, sending);
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
    return recordFailure(deps, row, error);
  }
  await database.prisma.alert_notification.updateMany({
    where: { id, sent_at: null },
    data: acceptedAs(message, dateAt(clock.nowMs())),
  });
  await recordChannelSuccess(deps, row.channel_id);
}
