import { type Endpoint, endpointFacts } from "#server/catalog/index.ts";
import type { BasisBody, StoredDocument } from "#server/db/index.ts";
import { canonicalText } from "#server/platform/canonical-json.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import { storableJson } from "#server/platform/storable.ts";
import { type Excluded, recordedReasons } from "./explain.ts";
import type { Decision } from "./router.ts";

/** How a request was routed, in the form in which it is stored. */
export interface RouteRecord {
  readonly basis: StoredDocument;
  /** The facts of its endpoints. */
  readonly facts: readonly StoredDocument[];
  /** The hash of the basis as PostgreSQL writes bytes: `\x` and hexadecimal digits. */
  readonly hashColumn: string;
  /** For each decision, the positions of its eligible endpoints in the basis, best first. */
  readonly ranked: readonly (readonly number[])[];
}

/** A basis and the decisions that it was made from: later decisions with the same parts share it. */
interface Made {
  readonly decisions: readonly Decision[];
  readonly basis: StoredDocument;
  readonly facts: readonly StoredDocument[];
  readonly hashColumn: string;
  readonly positions: ReadonlyMap<Endpoint, number>;
}

/** Of very many rules the narrowest are recorded, because they decide the soft fields. */
const recordedRulesMax = 20;
/** Decisions with the same exclusions that differ in something else. */
const madeMax = 20;

const known = new WeakMap<readonly Excluded[], Made[]>();

function make(decisions: readonly Decision[]): Made {
  const endpoints = [...new Set(decisions.flatMap(({ ranked }) => ranked))].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const facts = endpoints.map(endpointFacts);
  const body: BasisBody = {
    endpoints: endpoints.map(({ id }) => id),
    facts: facts.map((one) => one.hash),
    models: decisions.map(({ model, strategy, effective, rules, excluded }) => ({
      excluded: recordedReasons(excluded),
      model,
      preferences: effective,
      rule_count: rules.length,
      rules: rules.slice(-recordedRulesMax).map(({ id }) => id),
      strategy,
    })),
  };
  // Names in the preferences of a request may hold characters that the database cannot store.
  const text = canonicalText(JSON.parse(storableJson(body)));
  const hash = sha256Hex(text);
  return {
    decisions,
    basis: { hash, body: text },
    facts,
    hashColumn: inOnePiece(`\\x${hash}`),
    positions: new Map(endpoints.map((endpoint, at) => [endpoint, at])),
  };
}

/** The positions of the ranked endpoints; null if one of them is not in the basis. */
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
  return all;
}

const isSame = (one: Decision | undefined, other: Decision | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.model === other.model &&
  one.strategy === other.strategy &&
  one.excluded === other.excluded &&
  one.effective === other.effective &&
  one.rules === other.rules &&
  one.ranked.length === other.ranked.length;

function areSame(some: readonly Decision[], others: readonly Decision[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < others.length; at++) if (!isSame(some[at], others[at])) return false;
  return true;
}

/** How a request was routed. Decisions that the router remembers are compared by identity, so nothing is written out. */
export function routeRecord(decisions: readonly Decision[]): RouteRecord {
  const excluded = decisions[0]?.excluded;
  const similar = excluded && known.get(excluded);
  if (similar) {
    for (const { decisions: made, basis, facts, hashColumn, positions } of similar) {
      if (!areSame(made, decisions)) continue;
      const ranked = positionsOf(decisions, positions);
      if (ranked) return { basis, facts, hashColumn, ranked };
    }
  }
  const made = make(decisions);
  if (excluded) known.set(excluded, [...(similar ?? []).slice(1 - madeMax), made]);
  const { basis, facts, hashColumn, positions } = made;
  return { basis, facts, hashColumn, ranked: positionsOf(decisions, positions) ?? [] };
}
