import { AlertKind } from "#contract/alert-kind.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { AlertDeps } from "./deps.ts";
import { runFairly } from "./fair-order.ts";
import type { Condition } from "./kind.ts";
import { evaluators } from "./kind-table.ts";
import { openIncidents } from "./rule-rows.ts";
import { changesNothing, transitionsOf } from "./transitions.ts";
import { writeTransitions } from "./write-transitions.ts";

const { openPerRuleMax: openMax, perOrganisationMs, purgedTogether, retentionMs } = limits.alerts;

const columns = {
  id: true,
  org_id: true,
  kind: true,
  scope: true,
  settings: true,
  enabled: true,
  muted_until: true,
  updated_at: true,
  channels: { select: { channel_id: true } },
  incidents: {
    where: openIncidents,
    select: { id: true, subject: true, title: true, detail: true, opened_at: true, notified_at: true },
  },
} as const satisfies Prisma.alert_ruleSelect;
type Row = Prisma.alert_ruleGetPayload<{ select: typeof columns }>;

const isMuted = ({ muted_until }: Row, nowMs: number): boolean =>
  muted_until !== null && muted_until.getTime() > nowMs;

const openOf = ({ incidents }: Row) =>
  incidents.map((incident) => ({ ...incident, notified: incident.notified_at !== null }));

/** What is wrong now. Of a disabled rule nothing is, so that what is open is resolved. */
async function conditionsOf(deps: AlertDeps, rule: Row, nowMs: number): Promise<Condition[]> {
  if (!rule.enabled) return [];
  const kind = AlertKind.parse(rule.kind);
  const { settings, scope } = rule;
  const open = rule.incidents.map(
    ({ opened_at, ...condition }) =>
      [condition.subject, { ...condition, openedAtMs: opened_at.getTime() }] as const,
  );
  return evaluators[kind](
    deps,
    { kind, settings, orgId: scope === "installation" ? null : rule.org_id },
    { nowMs, open: new Map(open) },
  );
}

/** The rule as it is evaluated, locked; null if it was changed or deleted meanwhile. */
async function lockRule(tx: Tx, { id, updated_at }: Row): Promise<Row | null> {
  await tx.$queryRaw`select id from alert_rule where id = ${id}::uuid for update`;
  return tx.alert_rule.findFirst({ where: { id, updated_at }, select: columns });
}

/** Evaluates one rule. Returns whether there is something to send. */
async function evaluateRule(deps: AlertDeps, rule: Row): Promise<boolean> {
  const nowMs = clock.nowMs();
  const conditions = await conditionsOf(deps, rule, nowMs);
  const changesOf = (row: Row) =>
    transitionsOf(conditions, openOf(row), { muted: isMuted(row, nowMs), openMax });
  if (changesNothing(changesOf(rule))) return false;
  return deps.database.transaction(async (tx) => {
    const current = await lockRule(tx, rule);
    if (!current) return false;
    return writeTransitions(tx, deps.queue, changesOf(current), {
      ruleId: current.id,
      orgId: current.org_id,
      channelIds: current.channels.map(({ channel_id }) => channel_id),
      muted: isMuted(current, nowMs),
      now: dateAt(nowMs),
    });
  });
}

/** Deletes incidents that were resolved long ago. */
async function purgeOld({ database }: AlertDeps): Promise<void> {
  const before = dateAt(clock.nowMs() - retentionMs);
  for (let count: number = purgedTogether; count === purgedTogether; ) {
    count = await database.prisma.$executeRaw`
      delete from alert_incident where id in (
        select id from alert_incident where resolved_at < ${before} limit ${purgedTogether})`;
  }
}

/**
 * Evaluates every rule: opens an incident for each new condition, and resolves those whose condition is over. A rule
 * that cannot be evaluated is logged, and the others are not affected. No organisation delays the others.
 */
export async function evaluateAlerts(deps: AlertDeps, signal?: AbortSignal): Promise<void> {
  const { database, queue, log } = deps;
  const rules = await database.prisma.alert_rule.findMany({
    where: { OR: [{ enabled: true }, { incidents: { some: openIncidents } }] },
    select: columns,
    orderBy: { id: "asc" },
  });
  const evaluate = async (rule: Row) => {
    try {
      if (await evaluateRule(deps, rule)) queue.wake("send-alert");
    } catch (error) {
      log.error({ event: "alert", code: rule.kind, error }, "An alert rule could not be evaluated");
    }
  };
  const late = await runFairly(rules, evaluate, {
    groupOf: ({ org_id }) => org_id,
    perGroupMs: perOrganisationMs,
    turn: Math.floor(clock.nowMs() / 60_000),
    signal,
  });
  if (late.length > 0)
    log.warn(
      { event: "alert", count: late.length },
      "Alert rules were left out: their organisations took too long",
    );
  await purgeOld(deps);
}
