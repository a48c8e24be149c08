import { ProviderPreferences } from "#contract/preferences.ts";
import { type RoutingRule, RuleScope } from "#contract/routing-rule.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { type Rule, RuleIndex } from "./rule-index.ts";

export const ruleColumns = {
  id: true,
  name: true,
  description: true,
  scope: true,
  owner_id: true,
  user_id: true,
  org_id: true,
  workspace_id: true,
  api_key_id: true,
  model: true,
  models: true,
  provider: true,
  enabled: true,
  auto_apply: true,
  created_at: true,
  updated_at: true,
} satisfies Prisma.routing_ruleSelect;

export type RuleRow = Prisma.routing_ruleGetPayload<{ select: typeof ruleColumns }>;

const scopeOf = (row: RuleRow): RuleScope => RuleScope.parse(row.scope);

/** What was stored passed the schema; a rule written by an older version is read as strictly as it was written. */
const preferencesOf = (row: RuleRow): ProviderPreferences | null =>
  row.provider === null ? null : ProviderPreferences.parse(row.provider);

export const toWire = (row: RuleRow): RoutingRule => ({
  id: row.id,
  name: row.name,
  description: row.description,
  scope: scopeOf(row),
  user_id: row.user_id,
  org_id: row.org_id,
  workspace_id: row.workspace_id,
  api_key_id: row.api_key_id,
  model: row.model,
  models: row.models.length > 0 ? row.models : null,
  provider: preferencesOf(row),
  enabled: row.enabled,
  auto_apply: row.auto_apply,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const toRule = (row: RuleRow): Rule => ({
  id: row.id,
  name: row.name,
  scope: scopeOf(row),
  ownerId: row.owner_id,
  workspaceId: row.workspace_id,
  orgId: row.org_id,
  models: [...new Set([...(row.model === null ? [] : [row.model]), ...row.models])],
  preferences: preferencesOf(row) ?? {},
  enabled: row.enabled,
  autoApply: row.auto_apply,
  updatedAtMs: row.updated_at.getTime(),
});

/** Loads every rule into the index the engine asks; disabled ones can be named in a dry run. */
export async function loadRuleIndex(prisma: PrismaClient): Promise<RuleIndex> {
  const rows = await prisma.routing_rule.findMany({ select: ruleColumns });
  return new RuleIndex(rows.map(toRule));
}
