import type { DryRunRequest, DryRunResult } from "#contract/routing-rule.ts";
import { type Caller, demand } from "#server/auth/caller.ts";
import type { Api, Catalogue, Endpoint } from "#server/catalog/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { exclusionsOf } from "./explain.ts";
import { mergePreferences } from "./merge.ts";
import type { Decision, Router } from "./router.ts";
import type { Subject } from "./rule-index.ts";

const everyApi: readonly Api[] = ["completions", "chat", "responses", "embeddings", "rerank"];

export const subjectOf = (caller: Caller): Subject => ({
  orgId: caller.orgId,
  userId: caller.userId,
  workspaceId: caller.kind === "key" ? caller.workspaceId : null,
  keyId: caller.kind === "key" ? caller.keyId : null,
});

const slugs = (ranked: readonly Endpoint[]): string[] => [
  ...new Set(ranked.map(({ provider }) => provider.slug)),
];

const resultOf = ({ requested, ranked, dropped }: Decision): DryRunResult["results"][number] => ({
  model: requested,
  provider_count: slugs(ranked).length,
  providers: slugs(ranked),
  endpoints: ranked.map(({ id }) => id),
  excluded: exclusionsOf(dropped),
});

const unknownModel = (model: string): DryRunResult["results"][number] => ({
  model,
  provider_count: 0,
  providers: [],
  endpoints: [],
  excluded: [],
});

/**
 * What a request of this caller would be routed to, by the engine that routes it. Contacts nobody, charges nothing.
 * Without models, and without a rule that has some, every model of the catalogue is answered for.
 */
export function dryRun(
  { router, catalogue }: { router: Router; catalogue: Catalogue },
  caller: Caller | null,
  request: DryRunRequest,
): DryRunResult {
  const known = demand(caller, "routing:read");
  const { model, models, preference_overrides: overrides, rule_id, rule_name } = request;
  const context = {
    subject: subjectOf(known),
    apis: everyApi,
    today: isoDay(clock.nowMs()),
    disabledRules: true,
  };
  const named = rule_id || rule_name;
  const asked =
    model || models?.length || named ? { model, models } : { models: [...catalogue.models.keys()] };
  const ask = { ...asked, provider: overrides, rule_id, rule_name };
  const routed =
    named && !model && !models?.length && !router.hasModels(ask, context)
      ? router.route({ ...ask, models: [...catalogue.models.keys()] }, context)
      : router.route(ask, context);
  const results = routed.models.map((name) => {
    const decision = routed.decisions.find((one) => one.requested === name);
    return decision ? resultOf(decision) : unknownModel(name);
  });
  const first = routed.decisions[0];
  const rule = first?.rules.at(-1);
  return {
    rule_applied: rule ? { id: rule.id, name: rule.name } : null,
    effective_preferences: first?.effective ?? mergePreferences([]),
    results,
    summary: {
      total_models: results.length,
      models_with_providers: results.filter(({ provider_count }) => provider_count > 0).length,
    },
  };
}
