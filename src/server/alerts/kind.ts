import { type AlertKind, type AlertSettings, settingsSchemaOf } from "#contract/alert-kind.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";

/** Something that is wrong now. */
export interface Condition {
  /** The same as long as it is about the same thing, at every evaluation. */
  readonly subject: string;
  readonly title: string;
  /** The figures. */
  readonly detail: string;
}

/** A condition that was found earlier and is not over yet. */
export interface OpenCondition extends Condition {
  readonly openedAtMs: number;
}

/** What evaluators know besides the facts. */
export interface Evaluation {
  readonly nowMs: number;
  /** By subject. A value near its limit stays open a little longer than it takes to open it. */
  readonly open: ReadonlyMap<string, OpenCondition>;
}

export interface FactDeps {
  readonly database: Database;
  readonly catalogue: (orgId: string | null) => Catalogue;
}

/** Where facts are read and evaluated: one organisation, or null for all. */
export interface FactQuery<Settings> {
  readonly orgId: string | null;
  readonly settings: Settings;
  readonly nowMs: number;
}

/** How a kind of alert is evaluated. `evaluate` is pure. */
export interface Evaluator<Settings, Facts> {
  readonly read: (deps: FactDeps, query: FactQuery<Settings>) => Promise<Facts>;
  readonly evaluate: (settings: Settings, facts: Facts, evaluation: Evaluation) => Condition[];
}

/** A rule to evaluate. */
export interface EvaluatedRule {
  readonly kind: AlertKind;
  readonly settings: unknown;
  readonly orgId: string | null;
}

/** The evaluator of a kind for rules as they are stored. */
export type FindConditions = (
  deps: FactDeps,
  rule: EvaluatedRule,
  evaluation: Evaluation,
) => Promise<Condition[]>;

/** Makes an evaluator usable for stored rules, whose settings it reads with the kind's schema. */
export const finderOf =
  <Kind extends AlertKind, Facts>(
    kind: Kind,
    { read, evaluate }: Evaluator<AlertSettings<Kind>, Facts>,
  ): FindConditions =>
  async (deps, rule, evaluation) => {
    // The table is typed by kind, the lookup is not.
    const settings = settingsSchemaOf(kind).parse(rule.settings) as AlertSettings<Kind>;
    const facts = await read(deps, { orgId: rule.orgId, settings, nowMs: evaluation.nowMs });
    return evaluate(settings, facts, evaluation);
  };
