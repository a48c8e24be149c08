import type { AlertEvent, AlertResolution } from "#contract/alert-incident.ts";
import type { Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { readOpen } from "./open-incidents.ts";
import type { OpenIncident, Transitions } from "./transitions.ts";

/** What incidents keep of their rule. */
interface ReportingRule {
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly kind: string;
  readonly scope: string;
}

interface Writing {
  readonly rule: ReportingRule;
  readonly channelIds: readonly string[];
  readonly isMuted: (subject: string) => boolean;
  /** Why what is resolved is. */
  readonly resolution: AlertResolution;
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
  for (const { id } of rows) await queue.enqueue(tx, "send-alert", { id }, { key: id });
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
  { rule, channelIds, isMuted, resolution, now }: Writing,
): Promise<boolean> {
  const incidents = opened.map(({ subject, title, detail }) => ({
    ...{ id: uuidv7(), org_id: rule.org_id, rule_id: rule.id, rule_name: rule.name, kind: rule.kind },
    ...{ scope: rule.scope, subject, open_subject: subject, title, detail },
    ...{ opened_at: now, notified_at: isMuted(subject) ? null : now },
  }));
  await tx.alert_incident.createMany({ data: incidents });
  const resolvedIds = resolved.map(({ id }) => id);
  const announcedIds = announced.map(({ id }) => id);
  await tx.alert_incident.updateMany({
    where: { id: { in: resolvedIds } },
    data: { resolved_at: now, resolution, open_subject: null },
  });
  await tx.alert_incident.updateMany({ where: { id: { in: announcedIds } }, data: { notified_at: now } });
  const announcedNow = [
    ...announcedIds,
    ...incidents.filter(({ notified_at }) => notified_at !== null).map(({ id }) => id),
  ];
  const notifications = [
    ...announcedNow.flatMap((incident_id) =>
      channelIds.map((channel_id) => ({ incident_id, channel_id, event: "opened" as const })),
    ),
    ...(await resolutionsOf(tx, resolvedIds)),
  ];
  await announce(tx, queue, notifications, now);
  return notifications.length > 0;
}

/** Resolves everything that a rule has open, in the transaction that has locked it. */
export async function resolveAll(
  tx: Tx,
  queue: Queue,
  rule: ReportingRule,
  resolution: AlertResolution,
): Promise<void> {
  const open = await readOpen(tx, rule.id);
  const over = { opened: [], announced: [], resolved: open };
  const now = dateAt(clock.nowMs());
  await writeTransitions(tx, queue, over, { rule, channelIds: [], isMuted: () => true, resolution, now });
}
