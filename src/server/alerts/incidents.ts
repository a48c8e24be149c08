import type {
  AlertIncident,
  AlertIncidentListQuery,
  AlertIncidentUpdate,
  AlertNotification,
} from "#contract/alert-incident.ts";
import { AlertEvent, AlertResolution } from "#contract/alert-incident.ts";
import { AlertKind } from "#contract/alert-kind.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { containing, type Page, readColumns, readPage, reporting, type Tx } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError, found } from "#server/platform/errors.ts";
import type { AlertDeps } from "./deps.ts";
import { type MutedSubjects, readMutes, writeMute } from "./mutes.ts";
import { visibleRules } from "./rules.ts";

const columns = {
  id: true,
  rule_id: true,
  rule_name: true,
  kind: true,
  subject: true,
  title: true,
  detail: true,
  opened_at: true,
  resolved_at: true,
  resolution: true,
  notified_at: true,
  notifications: {
    select: {
      id: true,
      channel_id: true,
      event: true,
      attempts: true,
      last_error: true,
      sent_at: true,
      failed_at: true,
      channel: { select: { name: true } },
    },
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
  },
} as const satisfies Prisma.alert_incidentSelect;
type Row = Prisma.alert_incidentGetPayload<{ select: typeof columns }>;

type NotificationRow = Row["notifications"][number];
const storedEvent = (row: NotificationRow) => readColumns(row, { event: [AlertEvent, "opened"] });

const notificationToWire = (row: NotificationRow): AlertNotification => ({
  id: row.id,
  channel_id: row.channel_id,
  channel_name: row.channel.name,
  event: storedEvent(row).event,
  status: row.sent_at ? "sent" : row.failed_at ? "failed" : "pending",
  attempts: row.attempts,
  last_error: row.last_error,
  sent_at: row.sent_at?.toISOString() ?? null,
});

/** What cannot be read of an incident and its notifications. */
const problemOf = ({ notifications }: Row, own: string | null): string | null =>
  own ?? notifications.map((one) => storedEvent(one).problem).find((problem) => problem !== null) ?? null;

/** What is known of the rules of incidents. */
interface KnownRules {
  /** Those that were not deleted. */
  readonly ids: ReadonlySet<string>;
  readonly muted: MutedSubjects;
}

async function readRules(tx: Tx, orgId: string, rows: readonly Row[]): Promise<KnownRules> {
  const asked = [...new Set(rows.map(({ rule_id }) => rule_id))];
  const present = await tx.alert_rule.findMany({
    where: { id: { in: asked }, org_id: orgId },
    select: { id: true },
  });
  const ids = present.map(({ id }) => id);
  return { ids: new Set(ids), muted: await readMutes(tx, clock.nowMs(), ids) };
}

function toWire(row: Row, rules: KnownRules): AlertIncident {
  const stored = readColumns(row, {
    kind: [AlertKind, "error_rate"],
    resolution: [AlertResolution.nullable(), row.resolved_at && "ended"],
  });
  return {
    id: row.id,
    rule_id: row.rule_id,
    rule_name: row.rule_name,
    rule_deleted: !rules.ids.has(row.rule_id),
    kind: stored.kind,
    subject: row.subject,
    title: row.title,
    detail: row.detail,
    state: row.resolved_at ? "resolved" : "open",
    opened_at: row.opened_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolution: stored.resolution,
    muted: row.notified_at === null,
    muted_until: rules.muted.until(row.rule_id, row.subject),
    problem: problemOf(row, stored.problem),
    notifications: row.notifications.map(notificationToWire),
  };
}

/** Returns what the rules that the caller may see have found, the newest first, with what was sent. */
export async function listIncidents(
  deps: AlertDeps,
  caller: Authorized<"alerts:read", "organisation">,
  { rule_id, kind, state, search, ...paging }: AlertIncidentListQuery,
): Promise<Page<AlertIncident>> {
  const { prisma } = deps.database;
  const { alert_incident: incidents } = prisma;
  const where: Prisma.alert_incidentWhereInput = {
    ...(await visibleRules(deps, caller)),
    ...(kind !== undefined && { kind }),
    ...(rule_id !== undefined && { rule_id }),
    ...(state !== undefined && { resolved_at: state === "open" ? null : { not: null } }),
    ...(search !== undefined && { title: containing(search) }),
  };
  return readPage(paging, {
    rows: (window) =>
      incidents.findMany({
        where,
        select: columns,
        orderBy: [{ opened_at: "desc" }, { id: "asc" }],
        ...window,
      }),
    count: () => incidents.count({ where }),
    async toWire(rows) {
      const known = await readRules(prisma, caller.orgId, rows);
      return reporting(
        deps.database.reportRow,
        "alert_incident",
        rows.map((row) => toWire(row, known)),
      );
    },
  });
}

/** Mutes the subject of an incident. Throws CONFLICT if its rule was deleted, because nothing new is sent then. */
export async function updateIncident(
  deps: AlertDeps,
  caller: Authorized<"alerts:write", "organisation">,
  { id, muted_until }: AlertIncidentUpdate,
): Promise<AlertIncident> {
  const visible = await visibleRules(deps, caller);
  return changeRecords(deps.database, caller, "alert_incident.update", async (tx) => {
    const read = async () => {
      const where = { ...visible, id };
      const row = found(await tx.alert_incident.findFirst({ where, select: columns }), "incident", "id");
      return toWire(row, await readRules(tx, caller.orgId, [row]));
    };
    const before = await read();
    if (before.rule_deleted)
      throw new AppError(
        "CONFLICT",
        "The rule of this incident was deleted, so nothing new is sent about it",
      );
    await writeMute(tx, before, muted_until);
    const result = await read();
    const recorded = ({ rule_id, subject, muted_until: until }: AlertIncident) => ({
      ...{ rule_id, subject, muted_until: until },
    });
    return { result, audit: { id, before: recorded(before), after: recorded(result) } };
  });
}
