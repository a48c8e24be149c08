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
import { ruleColumns, toRules } from "./rule-rows.ts";
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

export interface DraftEngine {
  readonly draft: Rule;
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
 * A draft as a rule. Throws NOT_FOUND when the rule it would replace is not the caller's, and BAD_REQUEST for a model
 * nobody knows.
 */
export async function draftRule(
  database: Database,
  catalogue: Catalogue,
  caller: Caller,
  { rule, rule_id: replaced }: DraftRequest,
): Promise<Rule> {
  const before = replaced ? await findVisible(database.prisma, caller, replaced, "rule_id") : null;
  const named = ruleModels(catalogue, rule, {
    asWritten: before ? [before.model, ...before.models] : [],
    path: "rule.",
  });
  return ruleFrom(database, caller, { ...rule, ...named }, replaced ?? uuidv7());
}

/** The engine with a draft, and the draft. Throws as `draftRule` does. */
export async function draftEngine(
  database: Database,
  { router, catalogue }: Engine,
  caller: Caller,
  request: DraftRequest,
): Promise<DraftEngine> {
  const draft = await draftRule(database, catalogue, caller, request);
  const rows = await database.prisma.routing_rule.findMany({
    where: { org_id: caller.orgId },
    select: ruleColumns,
  });
  const others = toRules(rows).filter(({ id }) => id !== request.rule_id);
  return { draft, tomorrow: router.under(new RuleIndex([...others, draft])) };
}
