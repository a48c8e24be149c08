import {
  type RoutingRule,
  type RoutingRuleCreate,
  type RoutingRuleListQuery,
  type RoutingRuleUpdate,
  scopeOf,
} from "#contract/routing-rule.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import {
  containing,
  type Database,
  jsonNull,
  newestFirst,
  type Page,
  readPage,
  type Tx,
} from "#server/db/index.ts";
import { found } from "#server/platform/errors.ts";
import { nameKey } from "#server/platform/name-key.ts";
import { assertMayWriteRule, placeFor, visibleRules } from "./rule-access.ts";
import { ruleModels } from "./rule-models.ts";
import { type RuleRow, ruleColumns, toWire } from "./rule-rows.ts";

/** Throws NOT_FOUND for a rule that is not there or not for the caller's eyes. */
export async function findVisible(tx: Tx, caller: Caller, id: string, param = "id"): Promise<RuleRow> {
  const where = { AND: [{ id }, await visibleRules(tx, caller)] };
  return found(await tx.routing_rule.findFirst({ where, select: ruleColumns }), "routing rule", param);
}

/** Rules with a text in their name or description, or that are for the model it names. */
function speakingOf(text: string): Prisma.routing_ruleWhereInput {
  const part = containing(text);
  return { OR: [{ name: part }, { description: part }, { model: part }, { models: { has: text } }] };
}

export async function listRules(
  database: Database,
  caller: Authorized<"routing:read">,
  query: RoutingRuleListQuery,
): Promise<Page<RoutingRule>> {
  const { scope = "all", workspace_id: workspaceId, include_disabled: includeDisabled = false } = query;
  const enabled = query.enabled ?? (includeDisabled ? undefined : true);
  const where: Prisma.routing_ruleWhereInput = {
    AND: [
      await visibleRules(database.prisma, caller),
      scope === "all" ? {} : { scope },
      enabled === undefined ? {} : { enabled },
      query.search === undefined ? {} : speakingOf(query.search),
      workspaceId === undefined ? {} : { OR: [{ workspace_id: workspaceId }, { workspace_id: null }] },
    ],
  };
  const { routing_rule: rules } = database.prisma;
  return readPage(query, {
    rows: (window) => rules.findMany({ where, select: ruleColumns, orderBy: newestFirst, ...window }),
    count: () => rules.count({ where }),
    toWire: (rows) => rows.map(toWire),
  });
}

/** Those of some rules that the caller may see. */
export async function rulesSeen(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  ids: readonly string[],
): Promise<RoutingRule[]> {
  if (ids.length === 0) return [];
  const rows = await prisma.routing_rule.findMany({
    where: { AND: [{ id: { in: [...ids] } }, await visibleRules(prisma, caller)] },
  });
  return rows.map(toWire);
}

/** Names by id, of those the caller may see. */
export async function ruleNames(
  database: Database,
  caller: Authorized<"activity:read">,
  ids: readonly string[],
): Promise<Record<string, string>> {
  const rules = await rulesSeen(database, caller, ids);
  return Object.fromEntries(rules.map(({ id, name }) => [id, name]));
}

export async function getRule(
  database: Database,
  caller: Authorized<"routing:read">,
  id: string,
): Promise<RoutingRule> {
  return toWire(await findVisible(database.prisma, caller, id));
}

export async function createRule(
  database: Database,
  catalogue: Catalogue,
  caller: Authorized<"routing:write">,
  input: RoutingRuleCreate,
): Promise<RoutingRule> {
  const { model, models } = ruleModels(catalogue, input);
  return changeConfiguration(database, caller, "routing_rule.create", async (tx) => {
    const place = await placeFor(tx, caller, input);
    const row = await tx.routing_rule.create({
      data: {
        ...place,
        name: input.name,
        name_key: nameKey(input.name),
        description: input.description ?? null,
        scope: scopeOf(input),
        user_id: caller.userId,
        org_id: caller.orgId,
        model: model ?? null,
        models: models ?? [],
        provider: input.provider ?? jsonNull,
        enabled: input.enabled,
        auto_apply: input.auto_apply,
      },
      select: ruleColumns,
    });
    return { result: toWire(row), audit: { id: row.id, after: toWire(row) } };
  });
}

/** Only what was sent changes; `null` clears. An empty update answers with the rule as it is. */
function changes({
  name,
  description,
  model,
  models,
  provider,
  enabled,
  auto_apply,
}: RoutingRuleUpdate): Prisma.routing_ruleUpdateInput {
  return {
    ...(name !== undefined && { name, name_key: nameKey(name) }),
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(models !== undefined && { models: models ?? [] }),
    ...(provider !== undefined && { provider: provider ?? jsonNull }),
    ...(enabled !== undefined && { enabled }),
    ...(auto_apply !== undefined && { auto_apply }),
  };
}

export async function updateRule(
  database: Database,
  catalogue: Catalogue,
  caller: Authorized<"routing:write">,
  input: RoutingRuleUpdate,
): Promise<RoutingRule> {
  return changeConfiguration(database, caller, "routing_rule.update", async (tx) => {
    const before = await findVisible(tx, caller, input.id);
    await assertMayWriteRule(tx, caller, before);
    const data = changes({
      ...input,
      ...ruleModels(catalogue, input, { asWritten: [before.model, ...before.models] }),
    });
    if (Object.keys(data).length === 0) return { result: toWire(before), audit: null };
    const after = await tx.routing_rule.update({
      where: { id: before.id, org_id: caller.orgId },
      data,
      select: ruleColumns,
    });
    return {
      result: toWire(after),
      audit: { id: before.id, before: toWire(before), after: toWire(after) },
    };
  });
}

export async function removeRule(
  database: Database,
  caller: Authorized<"routing:delete">,
  id: string,
): Promise<void> {
  await changeConfiguration(database, caller, "routing_rule.delete", async (tx) => {
    const before = await findVisible(tx, caller, id);
    await assertMayWriteRule(tx, caller, before);
    await tx.routing_rule.delete({ where: { id: before.id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: toWire(before) } };
  });
}
