import type { SetBy } from "#contract/exclusion.ts";
import { reasonOf, setByText } from "#contract/exclusion-words.ts";
import type { ExplainedRule } from "#contract/explanation.ts";
import { isPersonal } from "#contract/personal-names.ts";
import { effectsOf } from "#contract/preference-words.ts";
import type { RefusalExplanation } from "#contract/refusal-explanation.ts";
import type { RefusedRequest } from "#contract/refused-request.ts";
import type { RoutingRule } from "#contract/routing-rule.ts";
import { hiddenRule } from "../replay/rule-names.ts";

type Reason = RefusalExplanation["reasons"][number];
type Excluded = NonNullable<RefusedRequest["excluded"]>[number];

/** A rule as it is now, and who changed it last. */
export interface RuleNow {
  readonly rule: RoutingRule;
  readonly changedBy: string | null;
}

/** One requirement that an endpoint does not meet, once for each that set it. */
interface Unmet {
  readonly endpoint: string;
  readonly field: string;
  readonly setBy: SetBy;
}

/** The rule, or the scope, that set a requirement. */
const originOf = ({ rule_id: id, scope }: SetBy): string => id ?? scope;

const unmetBy = ({ endpoint, refusals }: Excluded): Unmet[] =>
  refusals.flatMap(({ field, set_by, also_set_by: others = [] }) =>
    [set_by, ...others].map((setBy) => ({ endpoint, field, setBy })),
  );

/** The IDs of the rules that excluded endpoints. */
export const excludingRules = ({ excluded }: Pick<RefusedRequest, "excluded">): string[] => [
  ...new Set((excluded ?? []).flatMap(unmetBy).flatMap(({ setBy }) => setBy.rule_id ?? [])),
];

function explainedRule({ rule, changedBy }: RuleNow): ExplainedRule {
  const { id, name, scope, provider, updated_at } = rule;
  return {
    ...{ id, name, scope, changed_at: updated_at, changed_by: changedBy },
    requirements: effectsOf(provider),
  };
}

function setByWords(setBy: SetBy, seen: RuleNow | undefined): string {
  if (setBy.rule_id === undefined || seen || !isPersonal(setBy)) return setByText(setBy, "");
  return hiddenRule;
}

/** What the fields are about, the most frequent first. */
function labelsOf(unmet: readonly Unmet[]): string[] {
  const labels = Map.groupBy(unmet, ({ field }) => reasonOf(field)?.label ?? field.replaceAll("_", " "));
  return [...labels].toSorted(([, a], [, b]) => b.length - a.length).map(([label]) => label);
}

function summaryOf(count: number, [first]: readonly Reason[]): string {
  if (!first) return "The request was refused before providers were considered.";
  const by = `${first.set_by} (${first.requirements.join(", ")})`;
  if (count === 1)
    return first.alone === 1
      ? `The only endpoint was excluded by ${by}.`
      : "The only endpoint was excluded by several requirements.";
  const all = `All ${count} endpoints were excluded.`;
  if (first.alone === 0) return `${all} Each was excluded by several requirements.`;
  return `${all} ${first.alone} of them ${first.alone === 1 ? "was" : "were"} excluded only by ${by}.`;
}

/** Explains a refusal from its record. `rules` has the rules that the caller may see, by ID, as they are now. */
export function explainRefusal(
  refused: Pick<RefusedRequest, "id" | "excluded" | "last_at">,
  rules: ReadonlyMap<string, RuleNow>,
): RefusalExplanation {
  const excluded = refused.excluded ?? [];
  const origins = Map.groupBy(excluded.flatMap(unmetBy), ({ setBy }) => originOf(setBy));
  const decidedBy = new Map(
    excluded.map((one) => [one.endpoint, new Set(unmetBy(one).map(({ setBy }) => originOf(setBy)))]),
  );
  const reasons = [...origins].flatMap(([origin, unmet]): Reason[] => {
    const [first] = unmet;
    if (!first) return [];
    const seen = rules.get(origin);
    const endpoints = [...new Set(unmet.map(({ endpoint }) => endpoint))];
    return [
      {
        set_by: setByWords(first.setBy, seen),
        rule_id: first.setBy.rule_id ?? null,
        rule: seen ? explainedRule(seen) : null,
        changed_since: seen ? Date.parse(seen.rule.updated_at) > Date.parse(refused.last_at) : null,
        requirements: labelsOf(unmet),
        excluded: endpoints.length,
        alone: endpoints.filter((endpoint) => decidedBy.get(endpoint)?.size === 1).length,
      },
    ];
  });
  const sorted = reasons.toSorted((a, b) => b.alone - a.alone || b.excluded - a.excluded);
  return {
    refused_request_id: refused.id,
    summary: summaryOf(excluded.length, sorted),
    endpoints: excluded.length,
    reasons: sorted,
  };
}
