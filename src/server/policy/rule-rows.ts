import { ProviderPreferences } from "#contract/preferences.ts";
import { type RoutingRule, RuleScope } from "#contract/routing-rule.ts";
import type { Prisma, PrismaClient } from "#generated/prisma/client.ts";
import { type ReportRow, readRow, readRows } from "#server/db/index.ts";
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

/** If it is not known to whom a rule applies, that is everybody in the organisation. */
const closedScope = ({ scope }: RuleRow): RuleScope => RuleScope.safeParse(scope).data ?? "org";

/** A rule that cannot be read has no preferences, and a problem: it admits nothing. */
export function toWire(row: RuleRow): RoutingRule {
  const { value, problem } = readRow(() => ({ scope: scopeOf(row), provider: preferencesOf(row) }));
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    scope: value?.scope ?? closedScope(row),
    user_id: row.user_id,
    org_id: row.org_id,
    workspace_id: row.workspace_id,
    api_key_id: row.api_key_id,
    model: row.model,
    models: row.models.length > 0 ? row.models : null,
    provider: value?.provider ?? null,
    enabled: row.enabled,
    auto_apply: row.auto_apply,
    problem,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const ruleOf = (row: RuleRow): Rule => ({
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

/** A rule that cannot be read admits no endpoint, because what it forbids is unknown. */
function closedRule(row: RuleRow): Rule {
  const scope = closedScope(row);
  const place = scope === row.scope ? {} : { scope, owner_id: row.org_id, workspace_id: null };
  return ruleOf({ ...row, ...place, provider: { only: [] } });
}

/** Rows that are read again after they were loaded were reported then. */
const reportedBefore: ReportRow = () => {};

/** Rules as the engine takes them. */
export const toRules = (rows: readonly RuleRow[], report = reportedBefore): Rule[] =>
  readRows(rows, { table: "routing_rule", report, read: ruleOf, instead: closedRule });

/** Loads every rule into the index the engine asks; disabled ones can be named in a dry run. */
export async function loadRuleIndex(prisma: PrismaClient, report: ReportRow): Promise<RuleIndex> {
  return new RuleIndex(toRules(await prisma.routing_rule.findMany({ select: ruleColumns }), report));
}
