import type { Exclusion, Refusal, SetBy } from "#contract/exclusion.ts";
import { type exclusionReasons, reasonOf } from "#contract/exclusion-words.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { hardFields, hardNames, type Moment } from "./fields.ts";
import type { Layer } from "./scope.ts";

/** One wish that is to be asked of endpoint after endpoint, and everybody who has it, the widest first. */
export interface Check {
  readonly name: (typeof hardNames)[number];
  readonly layer: Layer;
  readonly others: SetBy[];
}

/** The tests all layers together ask for. Equal wishes of several layers are one test. */
export function compileChecks(layers: readonly Layer[]): readonly Check[] {
  const checks: Check[] = [];
  for (const name of hardNames) {
    const asked = new Map<string, Check>();
    for (const layer of layers) {
      const value = layer.preferences[name];
      if (value == null) continue;
      const key = JSON.stringify(value);
      const known = asked.get(key);
      if (known) {
        known.others.push(layer.setBy);
        continue;
      }
      const check = { name, layer, others: [] };
      asked.set(key, check);
      checks.push(check);
    }
  }
  return checks;
}

/** Every reason why an endpoint is refused; empty when it is admitted. */
export function refusals(endpoint: Endpoint, checks: readonly Check[], moment: Moment): Refusal[] {
  const found: Refusal[] = [];
  for (const { name, layer, others } of checks) {
    const mismatch = hardFields[name].mismatch(endpoint, layer.preferences, moment);
    if (!mismatch) continue;
    const { wanted, actual, fact, wouldAdmit } = mismatch;
    found.push({
      field: name,
      wanted,
      actual,
      ...(fact && { reason: fact }),
      set_by: layer.setBy,
      ...(others.length > 0 && { also_set_by: others }),
      would_admit: wouldAdmit,
    });
  }
  return found;
}

const installation: SetBy = { scope: "installation" };

/** A reason no wish can change: the endpoint cannot serve anybody, or not this kind of request. */
export const unusableBecause = (
  field: keyof typeof exclusionReasons,
  wanted: unknown,
  actual: unknown,
): Refusal => ({
  field,
  wanted,
  actual,
  set_by: installation,
});

/** An endpoint that may not serve, with every reason; the first one stands for all. */
export interface Dropped {
  readonly endpoint: Endpoint;
  readonly refusals: readonly [Refusal, ...Refusal[]];
}

/** The endpoint as dropped, or null when there is no reason. */
export const dropped = (endpoint: Endpoint, [first, ...others]: readonly Refusal[]): Dropped | null =>
  first ? { endpoint, refusals: [first, ...others] } : null;

const wordOf = (field: string): string => reasonOf(field)?.code ?? field;

/** The reasons as the API tells them. */
export const exclusionsOf = (all: readonly Dropped[]): Exclusion[] =>
  all.map(({ endpoint, refusals: [first, ...others] }) => ({
    provider: endpoint.provider.slug,
    endpoint: endpoint.id,
    excluded_by: wordOf(first.field),
    ...first,
    refusals: [first, ...others],
  }));

/** The first reason of an endpoint as the record of a generation keeps it. */
export interface RecordedReason {
  readonly endpoint: string;
  readonly excluded_by: string;
  /** A rule's id, else a scope. */
  readonly set_by: string;
}

const recorded = new WeakMap<readonly Dropped[], readonly RecordedReason[]>();

/** The reasons in brief. Requests that share a remembered choice share this too. */
export function recordedReasons(all: readonly Dropped[]): readonly RecordedReason[] {
  const known = recorded.get(all);
  if (known) return known;
  const brief = all.map(({ endpoint, refusals: [{ field, set_by }] }) => ({
    endpoint: endpoint.id,
    excluded_by: wordOf(field),
    set_by: set_by.rule_id ?? set_by.scope,
  }));
  recorded.set(all, brief);
  return brief;
}
