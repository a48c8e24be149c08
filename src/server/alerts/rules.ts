import type {
  AlertRule,
  AlertRuleCreate,
  AlertRuleListQuery,
  AlertRuleUpdate,
} from "#contract/alert-rule.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { isOperator } from "#server/accounts/index.ts";
import { changeRecords } from "#server/audit/change.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import { containing, newestFirst, type Page, readPage, reporting, type Tx } from "#server/db/index.ts";
import { AppError, found, notFound } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { AlertDeps } from "./deps.ts";
import {
  changedSettings,
  countOpen,
  type RuleRow,
  readSettings,
  recordedRule,
  ruleColumns,
  ruleToWire,
} from "./rule-rows.ts";
import { resolveAll } from "./write-transitions.ts";

type Reader = Authorized<"alerts:read", "organisation">;
type Writer = Authorized<"alerts:write", "organisation">;

/** A condition for rules, and for incidents, which keep both. */
interface VisibleRules {
  readonly org_id: string;
  readonly scope?: "organisation";
}

/** The rules that a caller may see: those of the installation only as its operator. */
export async function visibleRules({ database }: AlertDeps, caller: Reader | Writer): Promise<VisibleRules> {
  return {
    org_id: caller.orgId,
    ...(!(await isOperator(database, caller)) && { scope: "organisation" }),
  };
}

const findRule = async (tx: Tx, visible: VisibleRules, id: string): Promise<RuleRow> =>
  found(
    await tx.alert_rule.findFirst({ where: { ...visible, id }, select: ruleColumns }),
    "alert rule",
    "id",
  );

/** The rows that connect a rule with its channels. Throws NOT_FOUND unless all are the organisation's. */
async function channelRows(tx: Tx, orgId: string, ids: readonly string[]) {
  // Locked until the end, so that none of them is deleted meanwhile.
  const known = await tx.$queryRaw<{ id: string }[]>`
    select id from alert_channel where id = any(${[...ids]}::uuid[]) and org_id = ${orgId}::uuid
    order by id for share`;
  if (known.length !== ids.length) throw notFound("channel", "channel_ids");
  return ids.map((channel_id) => ({ channel_id }));
}

/** The budget that a rule is about has to be the organisation's. */
async function assertBudget(
  tx: Tx,
  org_id: string,
  { budget_id: id }: Record<string, unknown>,
): Promise<void> {
  if (typeof id === "string" && (await tx.budget.count({ where: { id, org_id } })) === 0)
    throw notFound("budget", "settings.budget_id");
}

/** Returns the alert rules that the caller may see, the newest first. */
export async function listRules(
  deps: AlertDeps,
  caller: Reader,
  { search, kind, ...paging }: AlertRuleListQuery,
): Promise<Page<AlertRule>> {
  const { prisma, reportRow } = deps.database;
  const where: Prisma.alert_ruleWhereInput = {
    ...(await visibleRules(deps, caller)),
    ...(search !== undefined && { name: containing(search) }),
    ...(kind !== undefined && { kind }),
  };
  return readPage(paging, {
    rows: (window) =>
      prisma.alert_rule.findMany({ where, select: ruleColumns, orderBy: newestFirst, ...window }),
    count: () => prisma.alert_rule.count({ where }),
    async toWire(rows) {
      const open = await countOpen(
        prisma,
        rows.map(({ id }) => id),
      );
      return reporting(
        reportRow,
        "alert_rule",
        rows.map((row) => ruleToWire(row, open)),
      );
    },
  });
}

/** A rule with the number of its open incidents. */
const withCount = async (tx: Tx, row: RuleRow): Promise<AlertRule> =>
  ruleToWire(row, await countOpen(tx, [row.id]));

export async function getRule(deps: AlertDeps, caller: Reader, id: string): Promise<AlertRule> {
  const { prisma } = deps.database;
  return withCount(prisma, await findRule(prisma, await visibleRules(deps, caller), id));
}

/** Creates a rule, which is evaluated within a minute. Throws FORBIDDEN for `installation` unless by the operator. */
export async function createRule(
  { database }: AlertDeps,
  caller: Writer,
  { channel_ids, muted_until, ...rule }: AlertRuleCreate,
): Promise<AlertRule> {
  const { orgId } = caller;
  if (rule.scope === "installation" && !(await isOperator(database, caller)))
    throw new AppError("FORBIDDEN", "scope: only the operator of this installation may watch all of it", {
      param: "scope",
    });
  const settings = readSettings(rule.kind, rule.settings);
  return changeRecords(database, caller, "alert_rule.create", async (tx) => {
    // Creations are serialized, so that two of them cannot both pass the limit.
    await lockAuditChain(tx, orgId);
    const max = limits.alerts.rulesPerOrganisationMax;
    if ((await tx.alert_rule.count({ where: { org_id: orgId } })) >= max)
      throw new AppError("CONFLICT", `An organisation may have ${max} alert rules at most`);
    await assertBudget(tx, orgId, settings);
    const row = await tx.alert_rule.create({
      data: {
        ...rule,
        org_id: orgId,
        settings,
        muted_until: muted_until ?? null,
        channels: { create: await channelRows(tx, orgId, channel_ids) },
      },
      select: ruleColumns,
    });
    return { result: ruleToWire(row, new Map()), audit: { id: row.id, after: recordedRule(row) } };
  });
}

/** Changes only what is sent. */
export async function updateRule(
  deps: AlertDeps,
  caller: Writer,
  { id, name, settings, channel_ids, enabled, muted_until }: AlertRuleUpdate,
): Promise<AlertRule> {
  const { orgId } = caller;
  const visible = await visibleRules(deps, caller);
  return changeRecords(deps.database, caller, "alert_rule.update", async (tx) => {
    const before = await findRule(tx, visible, id);
    if (settings !== undefined) await assertBudget(tx, orgId, settings);
    const after = await tx.alert_rule.update({
      where: { id, org_id: orgId },
      data: {
        ...(name !== undefined && { name }),
        ...(settings !== undefined && { settings: changedSettings(before, settings) }),
        ...(enabled !== undefined && { enabled }),
        ...(muted_until !== undefined && { muted_until }),
        ...(channel_ids !== undefined && {
          channels: { deleteMany: {}, create: await channelRows(tx, orgId, channel_ids) },
        }),
      },
      select: ruleColumns,
    });
    return {
      result: await withCount(tx, after),
      audit: { id, before: recordedRule(before), after: recordedRule(after) },
    };
  });
}

/** Deletes a rule. What is open is resolved, and the channels that were notified of it get a message. */
export async function deleteRule(deps: AlertDeps, caller: Writer, id: string): Promise<void> {
  const visible = await visibleRules(deps, caller);
  await changeRecords(deps.database, caller, "alert_rule.delete", async (tx) => {
    // An evaluation that has begun ends first, and none begins any more.
    await tx.$queryRaw`select id from alert_rule where id = ${id}::uuid for update`;
    const before = await findRule(tx, visible, id);
    await resolveAll(tx, deps.queue, before, "rule_deleted");
    await tx.alert_rule.delete({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: recordedRule(before) } };
  });
  deps.queue.wake("send-alert");
}
