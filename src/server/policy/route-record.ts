import { type Endpoint, endpointFacts } from "#server/catalog/index.ts";
import { type BasisBody, type StoredDocument, storedDocument } from "#server/db/index.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import type { DecisionInputs } from "./decision-inputs.ts";
import { recordedReasons } from "./explain.ts";
import { recordInputs } from "./record-inputs.ts";
import type { Decision } from "./router.ts";

/** How a request was routed, in the form in which it is stored. */
export interface RouteRecord {
  readonly basis: StoredDocument;
  /** The facts of the endpoints of its models. */
  readonly facts: readonly StoredDocument[];
  /** What it was made from. */
  readonly inputs: readonly StoredDocument[];
  /** The hash of the basis as PostgreSQL writes bytes: `\x` and hexadecimal digits. */
  readonly hashColumn: string;
  /** For each decision, the positions of its eligible endpoints in the basis, best first. */
  readonly ranked: readonly (readonly number[])[];
}

/** A basis and the decisions that it was made from: later decisions with the same parts share it. */
interface Made {
  readonly decisions: readonly Decision[];
  readonly record: Omit<RouteRecord, "ranked">;
  readonly positions: ReadonlyMap<Endpoint, number>;
}

/** Of very many rules the narrowest are recorded, because they decide the soft fields. */
const recordedRulesMax = 20;
/** Decisions that were made from the same and differ in something else. */
const madeMax = 20;

const known = new WeakMap<DecisionInputs, Made[]>();

function make(decisions: readonly Decision[]): Made {
  const endpoints = [...new Set(decisions.flatMap(({ ranked }) => ranked))].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const facts = endpoints.map(endpointFacts);
  const inputs = recordInputs(decisions);
  const body: BasisBody = {
    endpoints: endpoints.map(({ id }) => id),
    facts: facts.map((one) => one.hash),
    ...(inputs && { inputs: inputs.hash }),
    models: decisions.map(({ model, strategy, effective, rules, excluded }) => ({
      excluded: recordedReasons(excluded),
      model,
      preferences: effective,
      rule_count: rules.length,
      rules: rules.slice(-recordedRulesMax).map(({ id }) => id),
      strategy,
    })),
  };
  const basis = storedDocument(body);
  return {
    decisions,
    record: {
      basis,
      facts: inputs?.facts ?? facts,
      inputs: inputs?.documents ?? [],
      hashColumn: inOnePiece(`\\x${basis.hash}`),
    },
    positions: new Map(endpoints.map((endpoint, at) => [endpoint, at])),
  };
}

/** The positions of the ranked endpoints; null if they are not exactly those of the basis. */
function positionsOf(
  decisions: readonly Decision[],
  positions: ReadonlyMap<Endpoint, number>,
): number[][] | null {
  const all: number[][] = [];
  for (const { ranked } of decisions) {
    const own: number[] = [];
    for (const endpoint of ranked) {
      const position = positions.get(endpoint);
      if (position === undefined) return null;
      own.push(position);
    }
    all.push(own);
  }
  // Of several decisions that choose one endpoint each, some may choose the same.
  const count = all.length === 1 ? all[0]?.length : new Set(all.flat()).size;
  return count === positions.size ? all : null;
}

const isSame = (one: Decision | undefined, other: Decision | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.model === other.model &&
  one.inputs === other.inputs &&
  one.excluded === other.excluded &&
  one.effective === other.effective &&
  one.rules === other.rules &&
  one.strategy === other.strategy &&
  one.ranked.length === other.ranked.length;

function areSame(some: readonly Decision[], others: readonly Decision[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < others.length; at++) if (!isSame(some[at], others[at])) return false;
  return true;
}

const recorded = (
  { basis, facts, inputs, hashColumn }: Made["record"],
  ranked: RouteRecord["ranked"],
): RouteRecord => ({ basis, facts, inputs, hashColumn, ranked });

/** How a request was routed. Decisions that the router remembers are compared by identity, so nothing is written out. */
export function routeRecord(decisions: readonly Decision[]): RouteRecord {
  const inputs = decisions[0]?.inputs;
  const similar = inputs && known.get(inputs);
  if (similar) {
    for (const { decisions: made, record, positions } of similar) {
      if (!areSame(made, decisions)) continue;
      const ranked = positionsOf(decisions, positions);
      if (ranked) return recorded(record, ranked);
    }
  }
  const made = make(decisions);
  if (inputs) known.set(inputs, [...(similar ?? []).slice(1 - madeMax), made]);
  return recorded(made.record, positionsOf(decisions, made.positions) ?? []);
}
