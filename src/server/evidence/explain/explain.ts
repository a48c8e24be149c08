import { attemptText, isGood } from "#contract/attempt-words.ts";
import type { Explanation } from "#contract/explanation.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import { isPersonal } from "#contract/personal-names.ts";
import { effectsOf } from "#contract/preference-words.ts";
import { AnsweredPreferences } from "#contract/preferences.ts";
import { isRuleId } from "#contract/recorded-names.ts";
import { isoTime } from "#server/platform/clock.ts";
import { type Decision, strategyWords } from "#server/policy/index.ts";
import { hiddenRule } from "../replay/rule-names.ts";
import { candidatesOf, rolesOf } from "./candidates.ts";

/** A rule that the caller may see, as it is today. */
export interface RuleNote {
  readonly name: string;
  readonly changedBy: string | null;
}

export interface ExplainInput {
  readonly detail: GenerationDetail;
  /** The decisions made again from the record, for the models in its order; null if they cannot be. */
  readonly decisions: readonly Decision[] | null;
  readonly rules: ReadonlyMap<string, RuleNote>;
}

type Models = Explanation["models"];

/** `3 of 12 endpoints were admitted.` */
function admittedText(models: Models): string {
  const all = models.flatMap(({ candidates }) => candidates);
  const admitted = all.filter(({ rank }) => rank !== null).length;
  return `${admitted} of ${all.length} ${all.length === 1 ? "endpoint was" : "endpoints were"} admitted.`;
}

const triedText = (tries: GenerationDetail["tries"]): string => {
  const count = new Set(tries.map(({ endpoint }) => endpoint)).size;
  return count === 1
    ? "the one endpoint that was tried failed"
    : `all ${count} endpoints that were tried failed`;
};

function outcomeText({ status, error_code: error, tries }: GenerationDetail, models: Models): string {
  const found = models.flatMap(({ candidates }) => candidates);
  const last = found.find(({ role }) => role === "served" || role === "partly_served");
  if (!last) {
    if (tries.length > 0)
      return `No provider served it${error === null ? "" : ` (${error})`}: ${triedText(tries)}.`;
    return status === "cancelled"
      ? "The client disconnected before a provider was asked."
      : "No provider was asked.";
  }
  const where = last.place === null || last.place === "Unknown" ? "" : ` from ${last.place}`;
  return last.role === "served"
    ? `${last.provider} served it${where}.`
    : `${last.provider} began to answer${where}, then broke off.`;
}

/** Whether the order of the preferences names an endpoint, `provider/variant:model`: its provider, or with the variant. */
function isNamed(endpoint: string, preferences: unknown): boolean {
  const tag = endpoint.slice(0, endpoint.indexOf(":")).toLowerCase();
  const order = AnsweredPreferences.safeParse(preferences).data?.order ?? [];
  return order.some((slug) => [tag, tag.split("/", 1)[0]].includes(slug.toLowerCase()));
}

/** Why the endpoint that was tried last was tried: the others before it failed, or how endpoints are ordered. */
function choiceText({ tries, decision: { models } }: GenerationDetail, admittedCount: number): string | null {
  const last = tries.at(-1);
  const failed = new Set(tries.map(({ endpoint }) => endpoint)).size - 1;
  if (last?.outcome !== "ok") return null;
  if (failed > 0) return `It was tried after ${failed === 1 ? "another one" : `${failed} others`} failed.`;
  if (admittedCount === 1) return "No other endpoint was admitted.";
  const model = models.find(({ ranked }) => ranked.includes(last.endpoint));
  if (!model || model.ranked[0] !== last.endpoint) return null;
  const isUnnamed = model.strategy === "explicit-order" && !isNamed(last.endpoint, model.preferences);
  const because = isUnnamed
    ? "no endpoint that the preferences name was admitted"
    : strategyWords(model.strategy).because;
  return because && `It was tried first: ${because}.`;
}

function summaryOf(detail: GenerationDetail, models: Models): string {
  const admitted = models.flatMap(({ candidates }) => candidates).filter(({ rank }) => rank !== null).length;
  return [
    outcomeText(detail, models),
    models.length > 0 ? admittedText(models) : null,
    choiceText(detail, admitted),
  ]
    .filter((text) => text !== null)
    .join(" ");
}

function parameterTexts({ tries }: GenerationDetail): string[] {
  const changes = tries.at(-1)?.parameters;
  if (!changes) return [];
  const { dropped, translated, clamped } = changes;
  return [
    ...(dropped.length > 0
      ? [`Not sent, because the endpoint does not support it: ${dropped.join(", ")}`]
      : []),
    ...translated.map(({ from, to }) => `Sent under the provider's own name: ${from} as ${to}`),
    ...(clamped.length > 0 ? [`Sent with the nearest supported value: ${clamped.join(", ")}`] : []),
  ];
}

function costText({ usage, cost }: GenerationDetail): string {
  const tokens = `${usage.prompt_tokens} input and ${usage.completion_tokens} output tokens`;
  const estimated = usage.estimated ? ", estimated because the provider reported none" : "";
  if (cost.is_byok) return `Nothing: your own provider account paid for ${tokens}${estimated}.`;
  if (Number(cost.eur) === 0) return "Nothing was charged.";
  return `€${cost.eur.replace(/0+$/, "").replace(/\.$/, "")} for ${tokens}${estimated}.`;
}

function rulesOf({ detail, decisions, rules }: ExplainInput): Explanation["rules"] {
  const recorded = new Map(decisions?.flatMap((one) => one.rules.map((rule) => [rule.id, rule] as const)));
  const ids = new Set(detail.decision.models.flatMap((model) => model.rules));
  return [...ids].map((id) => {
    const rule = recorded.get(id);
    const note = rules.get(id);
    const isVisible = note !== undefined || (rule !== undefined && !isPersonal(rule));
    const hidden = { name: null, requirements: [], changed_at: null, changed_by: null };
    return {
      ...{ id, scope: rule?.scope ?? null },
      ...(isVisible
        ? {
            name: rule?.name ?? note?.name ?? null,
            requirements: effectsOf(rule?.preferences ?? null),
            changed_at: rule ? isoTime(rule.updatedAtMs) : null,
            changed_by: note?.changedBy ?? null,
          }
        : hidden),
    };
  });
}

/**
 * Explains a request in words, from what is recorded about it and nothing else. What the caller may not see of rules of
 * other people is left out.
 */
export function explain(input: ExplainInput): Explanation {
  const { detail, decisions, rules } = input;
  const roles = rolesOf(detail);
  const explained = rulesOf(input);
  const names = new Map(explained.map(({ id, name }) => [id, name]));
  const nameOf = (setBy: string) => {
    if (!isRuleId(setBy)) return `the ${setBy}`;
    const name = names.get(setBy) ?? rules.get(setBy)?.name;
    return name ? `“${name}”` : hiddenRule;
  };
  const models = detail.decision.models.map((recorded, at) => ({
    model: recorded.model,
    order: strategyWords(recorded.strategy).order,
    candidates: candidatesOf({ recorded, decision: decisions?.[at], roles, nameOf }),
  }));
  const first = detail.decision.models[0];
  return {
    generation_id: detail.id,
    summary: summaryOf(detail, models),
    model_requested: detail.model_requested,
    rules: explained,
    rule_count: first?.rule_count ?? 0,
    requirements: effectsOf(AnsweredPreferences.safeParse(first?.preferences).data ?? null),
    models,
    attempts: detail.tries.map((attempt, at) => {
      // Only the last attempt can be one that answered.
      const isLast = at === detail.tries.length - 1;
      const { endpoint, duration_ms } = attempt;
      return {
        endpoint,
        duration_ms,
        text: attemptText(attempt, detail),
        succeeded: isLast && isGood(attempt, detail),
      };
    }),
    parameters: parameterTexts(detail),
    cost: costText(detail),
    has_facts: decisions !== null,
  };
}
