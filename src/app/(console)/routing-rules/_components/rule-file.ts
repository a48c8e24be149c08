import { z } from "zod";
import { type RoutingRule, RoutingRuleCreate, scopeOf } from "#contract/routing-rule.ts";
import { cleaned, modelsOf } from "./draft.ts";

const format = "portolan-rules/1";

/** Rules as a file: what they say and whom they bind, without ids of their own. */
const RuleFile = z.object({
  format: z.literal(format, { error: `must be "${format}"` }),
  rules: z.array(RoutingRuleCreate).max(1000, "may contain at most 1,000 rules"),
});

type FileRule = RoutingRuleCreate;

const asFileRule = (rule: RoutingRule | FileRule): FileRule => {
  const models = modelsOf({ model: rule.model ?? null, models: rule.models ?? null });
  return {
    name: rule.name,
    description: rule.description ?? null,
    scope: scopeOf(rule),
    workspace_id: rule.workspace_id ?? null,
    api_key_id: rule.api_key_id ?? null,
    models: models.length > 0 ? models : null,
    provider: cleaned(rule.provider ?? {}),
    enabled: rule.enabled,
    auto_apply: rule.auto_apply,
  };
};

/** The text of the file that holds these rules, the same for the same rules. */
export function fileOf(rules: readonly RoutingRule[]): string {
  const sorted = rules.map(asFileRule).toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), "en"));
  return `${JSON.stringify({ format, rules: sorted }, null, 2)}\n`;
}

/** Reads a file; a problem names the rule and field that is not in order. */
export function readFile(text: string): { rules: FileRule[] } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "This file is not valid JSON." };
  }
  const parsed = RuleFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") || "The file"}: ${issue?.message}` };
  }
  const rules = parsed.data.rules.map(asFileRule);
  const seen = new Set<string>();
  const twice = rules.find((rule) => seen.size === seen.add(keyOf(rule)).size);
  if (twice) return { problem: `The file contains the rule "${twice.name}" twice.` };
  return { rules };
}

/** What makes two rules the same one: whom they bind and their name, as the server tells them apart. */
const keyOf = ({ scope, name, workspace_id, api_key_id }: FileRule): string => {
  const owner = scope === "workspace" ? workspace_id : scope === "api_key" ? api_key_id : "";
  return [scope, owner, name.trim().toLowerCase()].join(" ");
};

/** Fields in one order, so that equal objects are equal texts. */
const inOrder = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(inOrder)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, one]) => [name, inOrder(one)]),
        )
      : value;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));

const compared = ["name", "description", "models", "provider", "enabled", "auto_apply"] as const;

export interface RulePlan {
  readonly create: readonly FileRule[];
  readonly update: readonly {
    readonly rule: RoutingRule;
    readonly to: FileRule;
    readonly fields: readonly (typeof compared)[number][];
  }[];
  /** Stored, and not in the file. */
  readonly others: readonly RoutingRule[];
  readonly unchanged: number;
}

/** What has to be done so that the stored rules say what the file says. Does nothing itself. */
export function planOf(stored: readonly RoutingRule[], wanted: readonly FileRule[]): RulePlan {
  const known = new Map(stored.map((rule) => [keyOf(asFileRule(rule)), rule]));
  const named = new Set(wanted.map(keyOf));
  const pairs = wanted.map((to) => ({ to: asFileRule(to), rule: known.get(keyOf(to)) }));
  const changed = pairs.flatMap(({ rule, to }) => {
    if (!rule) return [];
    const from = asFileRule(rule);
    return [{ rule, to, fields: compared.filter((field) => !same(from[field], to[field])) }];
  });
  return {
    create: pairs.filter(({ rule }) => rule === undefined).map(({ to }) => to),
    update: changed.filter(({ fields }) => fields.length > 0),
    unchanged: changed.filter(({ fields }) => fields.length === 0).length,
    others: stored.filter((rule) => !named.has(keyOf(asFileRule(rule)))),
  };
}
