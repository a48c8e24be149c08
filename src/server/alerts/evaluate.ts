import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { AlertDeps } from "./deps.ts";
import { runFairly } from "./fair-order.ts";
import type { Condition } from "./kind.ts";
import { evaluators } from "./kind-table.ts";
import { type MutedSubjects, purgeMutes, readMutes } from "./mutes.ts";
import { type OpenRow, readOpen } from "./open-incidents.ts";
import { storedRule } from "./rule-rows.ts";
import { changesNothing, transitionsOf } from "./transitions.ts";
import { writeTransitions } from "./write-transitions.ts";

const { openPerRuleMax: openMax, perOrganisationMs, purgedTogether, retentionMs } = limits.alerts;

const columns = {
  id: true,
  org_id: true,
  name: true,
  kind: true,
  scope: true,
  settings: true,
  enabled: true,
  muted_until: true,
  updated_at: true,
  channels: { select: { channel_id: true } },
} as const satisfies Prisma.alert_ruleSelect;
type Row = Prisma.alert_ruleGetPayload<{ select: typeof columns }>;

/** A rule with what it has open, and the subjects it says nothing new about. */
interface EvaluatedRow {
  readonly rule: Row;
  readonly open: readonly OpenRow[];
  readonly muted: MutedSubjects;
}

/** Whether nothing new is sent about a subject. */
function mutesOf({ rule: { id, muted_until }, muted }: EvaluatedRow, nowMs: number) {
  const isRuleMuted = muted_until !== null && muted_until.getTime() > nowMs;
  return (subject: string): boolean => isRuleMuted || muted.has(id, subject);
}

/** What is wrong now. Of a disabled rule nothing is, so that what is open is resolved. */
async function conditionsOf(
  deps: AlertDeps,
  { rule, open: rows }: EvaluatedRow,
  nowMs: number,
): Promise<Condition[]> {
  if (!rule.enabled) return [];
  const { kind, settings, scope } = storedRule(rule);
  const open = rows.map(
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
async function lockRule(tx: Tx, { id, updated_at }: Row, nowMs: number): Promise<EvaluatedRow | null> {
  await tx.$queryRaw`select id from alert_rule where id = ${id}::uuid for update`;
  const rule = await tx.alert_rule.findFirst({ where: { id, updated_at }, select: columns });
  return rule && { rule, open: await readOpen(tx, id), muted: await readMutes(tx, nowMs, [id]) };
}

/** Evaluates one rule. Returns whether there is something to send. */
async function evaluateRule(deps: AlertDeps, row: EvaluatedRow): Promise<boolean> {
  const nowMs = clock.nowMs();
  const conditions = await conditionsOf(deps, row, nowMs);
  const changesOf = (rule: EvaluatedRow) =>
    transitionsOf(conditions, rule.open, { isMuted: mutesOf(rule, nowMs), openMax });
  if (changesNothing(changesOf(row))) return false;
  return deps.database.transaction(async (tx) => {
    const current = await lockRule(tx, row.rule, nowMs);
    if (!current) return false;
    const { rule } = current;
    return writeTransitions(tx, deps.queue, changesOf(current), {
      rule,
      channelIds: rule.channels.map(({ channel_id }) => channel_id),
      isMuted: mutesOf(current, nowMs),
      resolution: rule.enabled ? "ended" : "rule_disabled",
      now: dateAt(nowMs),
    });
  });
}

/**
 * The rules to evaluate: those that are enabled, and others that have something open. Of one that cannot be read,
 * what is open stays open.
 */
async function readRules({ database: { prisma, reportRow } }: AlertDeps): Promise<EvaluatedRow[]> {
  const open = Map.groupBy(await readOpen(prisma), ({ rule_id }) => rule_id);
  const muted = await readMutes(prisma, clock.nowMs());
  const rules = await prisma.alert_rule.findMany({ select: columns, orderBy: { id: "asc" } });
  const wanted = rules
    .map((rule) => ({ rule, open: open.get(rule.id) ?? [], muted }))
    .filter((row) => row.rule.enabled || row.open.length > 0);
  return wanted.filter(({ rule }) => {
    const { problem } = storedRule(rule);
    if (problem !== null) reportRow("alert_rule", rule.id, problem);
    return problem === null || !rule.enabled;
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
  const { queue, log } = deps;
  const evaluate = async (row: EvaluatedRow) => {
    try {
      if (await evaluateRule(deps, row)) queue.wake("send-alert");
    } catch (error) {
      log.error({ event: "alert", code: row.rule.kind, error }, "An alert rule could not be evaluated");
    }
  };
  const late = await runFairly(await readRules(deps), evaluate, {
    groupOf: ({ rule }) => rule.org_id,
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
  await purgeMutes(deps.database.prisma, clock.nowMs());
}
