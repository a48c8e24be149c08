import { exclusionReasons } from "#contract/exclusion-words.ts";

/** A model of a dry run, as far as the effects of fields need it. */
export interface TriedModel {
  readonly endpoints: readonly string[];
  readonly excluded: readonly {
    readonly endpoint: string;
    readonly refusals: readonly {
      readonly field: string;
      readonly set_by: { readonly rule_name?: string };
    }[];
  }[];
}

/** What one field of a rule excludes. */
export interface Effect {
  /** Endpoints that do not meet it. */
  readonly excluded: number;
  /** Those that meet everything else. */
  readonly alone: number;
}

export interface Effects {
  /** Endpoints that could serve without any rule. */
  readonly total: number;
  /** Endpoints that remain. */
  readonly remaining: number;
  readonly byField: Readonly<Record<string, Effect>>;
}

const kindOf = (field: string): string | undefined =>
  Object.entries(exclusionReasons).find(([name]) => name === field)?.[1].kind;

/** What the fields of the rule `ruleName` exclude of the endpoints of the tried models. */
export function effectsOf(results: readonly TriedModel[], ruleName: string): Effects {
  const byField: Record<string, Effect> = {};
  const remaining = results.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  let total = remaining;
  for (const { refusals } of results.flatMap(({ excluded }) => excluded)) {
    if (refusals.some(({ field }) => kindOf(field) === "unusable")) continue;
    total++;
    const own = new Set(
      refusals.filter(({ set_by: { rule_name } }) => rule_name === ruleName).map(({ field }) => field),
    );
    const isAlone = own.size === 1 && refusals.every(({ field }) => own.has(field));
    for (const field of own) {
      const { excluded, alone } = byField[field] ?? { excluded: 0, alone: 0 };
      byField[field] = { excluded: excluded + 1, alone: alone + (isAlone ? 1 : 0) };
    }
  }
  return { total, remaining, byField };
}

/** The effect of a field in a sentence; null while it excludes nothing. */
export function effectText({ total, byField }: Effects, field: string): string | null {
  const effect = byField[field];
  if (!effect) return null;
  const alone =
    effect.alone > 0 ? `; ${effect.alone} of them meet${effect.alone === 1 ? "s" : ""} everything else` : "";
  return `Excludes ${effect.excluded} of ${total} endpoints${alone}`;
}
