import { type RoutingRuleCreate, scopeOf } from "#contract/routing-rule.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Router } from "./router.ts";
import { locate } from "./rule-access.ts";
import { type Rule, RuleIndex } from "./rule-index.ts";
import { ruleModels } from "./rule-models.ts";
import { ruleColumns, toRule } from "./rule-rows.ts";
import { findVisible } from "./rules.ts";

/** A rule that is being edited, and the stored rule it would replace. */
export interface DraftRequest {
  readonly rule: RoutingRuleCreate;
  readonly rule_id?: string | null | undefined;
}

/** The running engine, and its catalogue. */
export interface Engine {
  readonly router: Router;
  readonly catalogue: Catalogue;
}

export interface DraftEngines {
  readonly draft: Rule;
  /** The engine with the stored rules. */
  readonly today: Router;
  /** The engine with the draft. */
  readonly tomorrow: Router;
}

async function ruleFrom(
  { prisma }: Database,
  caller: Caller,
  draft: RoutingRuleCreate,
  id: string,
): Promise<Rule> {
  const { owner_id: ownerId, workspace_id: workspaceId } = await locate(prisma, caller, draft);
  return {
    id,
    name: draft.name,
    scope: scopeOf(draft),
    ownerId,
    workspaceId,
    orgId: caller.orgId,
    models: [...new Set([...(draft.model ? [draft.model] : []), ...(draft.models ?? [])])],
    preferences: draft.provider ?? {},
    enabled: draft.enabled,
    autoApply: draft.auto_apply,
    updatedAtMs: clock.nowMs(),
  };
}

/**
 * The engine with and without a draft. Throws NOT_FOUND when the rule it would replace is not the caller's,
 * and BAD_REQUEST for a model nobody knows.
 */
export async function draftEngines(
  database: Database,
  { router, catalogue }: Engine,
  caller: Caller,
  { rule, rule_id: replaced }: DraftRequest,
): Promise<DraftEngines> {
  const { prisma } = database;
  const before = replaced ? await findVisible(prisma, caller, replaced, "rule_id") : null;
  const named = ruleModels(catalogue, rule, {
    asWritten: before ? [before.model, ...before.models] : [],
    path: "rule.",
  });
  const draft = await ruleFrom(database, caller, { ...rule, ...named }, replaced ?? uuidv7());
  const rows = await prisma.routing_rule.findMany({ where: { org_id: caller.orgId }, select: ruleColumns });
  const rules = rows.map(toRule);
  return {
    draft,
    today: router.under(new RuleIndex(rules)),
    tomorrow: router.under(new RuleIndex([...rules.filter(({ id }) => id !== replaced), draft])),
  };
}
