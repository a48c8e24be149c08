import { apis } from "#contract/inference-operations.ts";
import { refusalMessage } from "#contract/refusal-message.ts";
import type { DraftDryRunRequest, DryRunRequest, DryRunResult } from "#contract/routing-rule.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { type Endpoint, fieldChanges } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { draftEngine, type Engine } from "./draft.ts";
import { endpointWords } from "./endpoint-words.ts";
import { exclusionsOf } from "./explain.ts";
import { mergePreferences } from "./merge.ts";
import type { Needs } from "./needs.ts";
import type { Decision, Routed } from "./router.ts";
import type { Subject } from "./rule-index.ts";
import { findVisible } from "./rules.ts";
import { requestPreferences, rulePreferences } from "./scope.ts";
import { strategyWords } from "./strategy-words.ts";

export const subjectOf = (caller: Caller): Subject => ({
  orgId: caller.orgId,
  userId: caller.userId,
  workspaceId: workspaceOf(caller),
  keyId: caller.kind === "key" ? caller.keyId : null,
});

const slugs = (ranked: readonly Endpoint[]): string[] => [
  ...new Set(ranked.map(({ provider }) => provider.slug)),
];

type Result = DryRunResult["results"][number];

/** What the endpoints would not get of these fields, or under another name, or with other values. */
const changesOf = (ranked: readonly Endpoint[], names: readonly string[]): Result["parameter_changes"] =>
  ranked.flatMap((endpoint) => {
    const changes = fieldChanges(endpoint.rules, apis.find((api) => endpoint.apis.has(api)) ?? "chat", names);
    return changes.dropped.length + changes.translated.length + changes.limited.length > 0
      ? [{ endpoint: endpoint.id, ...changes }]
      : [];
  });

function resultOf(
  { requested, ranked, excluded: endpoints, strategy }: Decision,
  names: readonly string[],
): Result {
  const excluded = exclusionsOf(endpoints);
  const all = [...ranked, ...endpoints.map(({ endpoint }) => endpoint)];
  const code = excluded.length === 0 ? "no_endpoints" : "constraint_filtered";
  return {
    model: requested,
    provider_count: slugs(ranked).length,
    providers: slugs(ranked),
    endpoints: ranked.map(({ id }) => id),
    order: strategyWords(strategy).order,
    excluded,
    facts: all.map((endpoint) => ({ endpoint: endpoint.id, ...endpointWords(endpoint) })),
    parameter_changes: changesOf(ranked, names),
    reason: ranked.length > 0 ? null : { code, message: refusalMessage(excluded) },
  };
}

/** A request of no size that holds nothing but the named content. */
const needsOf = ({
  input_modalities: input,
  output_modalities: output,
  parameters,
}: DryRunRequest): Needs => ({
  promptTokens: 0,
  maxTokens: null,
  parameters: parameters ?? [],
  inputModalities: input ?? [],
  outputModalities: output ?? [],
});

const unknownModel = (model: string): Result => ({
  model,
  provider_count: 0,
  providers: [],
  endpoints: [],
  order: null,
  excluded: [],
  facts: [],
  parameter_changes: [],
  reason: { code: "model_not_found", message: "The catalogue knows no model of this name" },
});

/** The result for each model that was asked for. `names` are the parameters whose changes are shown. */
export const resultsOf = (
  { models, decisions }: Omit<Routed, "candidates">,
  names: readonly string[],
): Result[] =>
  models.map((name) => {
    const decision = decisions.find((one) => one.requested === name);
    return decision ? resultOf(decision, names) : unknownModel(name);
  });

/** Where requests of a subject would be routed, by the engine that routes them. Throws NOT_FOUND for the rule. */
export function dryRunFor(
  { router, catalogue }: Engine,
  subject: Subject,
  request: DryRunRequest,
): DryRunResult {
  const { model, models, preference_overrides: overrides, rule_id, rule_name, parameters: names } = request;
  const context = {
    subject,
    apis,
    today: isoDay(clock.nowMs()),
    disabledRules: true,
    needs: needsOf(request),
  };
  const named = router.named({ rule_id, rule_name }, context);
  const asked =
    model || models?.length || named ? { model, models } : { models: [...catalogue.models.keys()] };
  const ask = { ...asked, provider: overrides, rule_id, rule_name };
  const routed =
    named?.models.length === 0 && !model && !models?.length
      ? router.route({ ...ask, models: [...catalogue.models.keys()] }, context)
      : router.route(ask, context);
  const results = resultsOf(routed, names ?? []);
  const first = routed.decisions[0];
  // Unknown models have no decision.
  const rule = first ? first.rules.at(-1) : named;
  const scoped = [
    ...(named ? [rulePreferences(named)] : []),
    ...(overrides ? [requestPreferences(overrides)] : []),
  ];
  return {
    rule_applied: rule ? { id: rule.id, name: rule.name } : null,
    effective_preferences: first?.effective ?? mergePreferences(scoped),
    results,
    summary: {
      total_models: results.length,
      models_with_providers: results.filter(({ provider_count }) => provider_count > 0).length,
    },
  };
}

/** The IDs of the models for which a request of the caller without preferences has an eligible provider. */
export function reachableModels(engine: Engine, caller: Authorized<"inference:use">): ReadonlySet<string> {
  const context = { subject: subjectOf(caller), apis, today: isoDay(clock.nowMs()) };
  const models = [...engine.catalogue.models.keys()];
  const { decisions } = engine.router.route({ models }, context);
  const allowed = caller.kind === "key" ? caller.allowedModels : null;
  const reached = decisions.filter(({ model, ranked }) => ranked.length > 0 && (allowed?.has(model) ?? true));
  return new Set(reached.map(({ model }) => model));
}

/** Whose requests a rule or draft applies to: the caller's, or those of its key or workspace. */
async function subjectBoundBy(
  { prisma }: Database,
  caller: Caller,
  {
    workspace_id,
    api_key_id,
  }: { readonly workspace_id?: string | null | undefined; readonly api_key_id?: string | null | undefined },
): Promise<Subject> {
  const own = subjectOf(caller);
  if (!api_key_id) return { ...own, workspaceId: workspace_id ?? own.workspaceId };
  const key = await prisma.api_key.findFirst({
    where: { id: api_key_id, org_id: caller.orgId },
    select: { user_id: true, workspace_id: true },
  });
  return {
    ...own,
    userId: key?.user_id ?? own.userId,
    workspaceId: key?.workspace_id ?? workspace_id ?? null,
    keyId: api_key_id,
  };
}

/**
 * What a request of this caller would be routed to, or, where a rule is named that binds others, what theirs would
 * be. Contacts nobody, charges nothing. Without models, and without a rule that has some, every model of the
 * catalogue is answered for. Throws NOT_FOUND for a rule that is not for the caller's eyes.
 */
export async function dryRun(
  database: Database,
  engine: Engine,
  caller: Authorized<"routing:read">,
  request: DryRunRequest,
): Promise<DryRunResult> {
  const { rule_id: ruleId } = request;
  const subject = ruleId
    ? await subjectBoundBy(database, caller, await findVisible(database.prisma, caller, ruleId, "rule_id"))
    : subjectOf(caller);
  return dryRunFor(engine, subject, request);
}

/**
 * What requests would be routed to if a draft were stored, for whom it binds; the rule it replaces no longer
 * counts. Keeps nothing. What was seen lately of providers is left out, so that only the draft changes the answer.
 */
export async function dryRunDraft(
  database: Database,
  engine: Engine,
  caller: Authorized<"routing:read">,
  { model, input_modalities, parameters, ...request }: DraftDryRunRequest,
): Promise<DryRunResult> {
  const { draft, tomorrow } = await draftEngine(database, engine, caller, request);
  const subject = await subjectBoundBy(database, caller, request.rule);
  return dryRunFor({ ...engine, router: tomorrow }, subject, {
    model,
    input_modalities,
    parameters,
    rule_id: draft.id,
  });
}
