import { z } from "zod";
import { type RoutingRule, RoutingRuleCreate, scopeOf } from "#contract/routing-rule.ts";
import { cleaned, modelsOf } from "./draft.ts";

const format = "portolan-rules/1";

/** Rules as a file: their content and scope, without their own ids. */
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

/** The text of the file with these rules, which can all be read. Equal rules give equal texts. */
export function fileOf(rules: readonly RoutingRule[]): string {
  const sorted = rules.map(asFileRule).toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), "en"));
  return `${JSON.stringify({ format, rules: sorted }, null, 2)}\n`;
}

/** Reads a file; a problem names the invalid rule and field. */
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

/** Two rules are the same if they have the same scope and name, as on the server. */
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

/** The changes that make the stored rules equal to the file. Applies nothing. */
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
