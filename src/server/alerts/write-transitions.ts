import type { AlertEvent } from "#contract/alert-incident.ts";
import type { Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { OpenIncident, Transitions } from "./transitions.ts";

interface Writing {
  readonly ruleId: string;
  readonly orgId: string;
  readonly channelIds: readonly string[];
  readonly muted: boolean;
  readonly now: Date;
}

interface Notification {
  readonly incident_id: string;
  readonly channel_id: string;
  readonly event: AlertEvent;
}

/** Stores notifications, each with the job that sends it. */
async function announce(
  tx: Tx,
  queue: Queue,
  notifications: readonly Notification[],
  now: Date,
): Promise<void> {
  const rows = notifications.map((one) => ({ ...one, id: uuidv7(), created_at: now }));
  await tx.alert_notification.createMany({ data: rows });
  for (const { id } of rows) await queue.enqueue(tx, "send-alert", { id });
}

/** The notifications that what was sent is over: to the channels that were notified when it opened. */
async function resolutionsOf(tx: Tx, incidentIds: readonly string[]): Promise<Notification[]> {
  const sent = await tx.alert_notification.findMany({
    where: { incident_id: { in: [...incidentIds] }, event: "opened" },
    select: { incident_id: true, channel_id: true },
  });
  return sent.map((one) => ({ ...one, event: "resolved" }));
}

/**
 * Writes what changes with the notifications about it and their jobs, in the transaction that has locked the rule.
 * Returns whether there is something to send.
 */
export async function writeTransitions(
  tx: Tx,
  queue: Queue,
  { opened, resolved, announced }: Transitions<OpenIncident>,
  { ruleId, orgId, channelIds, muted, now }: Writing,
): Promise<boolean> {
  const incidents = opened.map(({ subject, title, detail }) => ({
    ...{ id: uuidv7(), org_id: orgId, rule_id: ruleId, subject, open_subject: subject, title, detail },
    ...{ opened_at: now, notified_at: muted ? null : now },
  }));
  await tx.alert_incident.createMany({ data: incidents });
  const resolvedIds = resolved.map(({ id }) => id);
  const announcedIds = announced.map(({ id }) => id);
  await tx.alert_incident.updateMany({
    where: { id: { in: resolvedIds } },
    data: { resolved_at: now, open_subject: null },
  });
  await tx.alert_incident.updateMany({ where: { id: { in: announcedIds } }, data: { notified_at: now } });
  const announcedNow = [...announcedIds, ...(muted ? [] : incidents.map(({ id }) => id))];
  const notifications = [
    ...announcedNow.flatMap((incident_id) =>
      channelIds.map((channel_id) => ({ incident_id, channel_id, event: "opened" as const })),
    ),
    ...(await resolutionsOf(tx, resolvedIds)),
  ];
  await announce(tx, queue, notifications, now);
  return notifications.length > 0;
}
