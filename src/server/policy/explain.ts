import type { Exclusion, Refusal, SetBy } from "#contract/exclusion.ts";
import { type exclusionReasons, reasonOf } from "#contract/exclusion-words.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { hardFields, hardNames, type Moment } from "./fields.ts";
import type { RoutedEndpoint } from "./routed-endpoint.ts";
import type { ScopedPreferences } from "./scope.ts";

/** One requirement to check for each endpoint, and every scope that sets it, the widest first. */
export interface Check {
  readonly name: (typeof hardNames)[number];
  readonly scope: ScopedPreferences;
  readonly others: SetBy[];
}

/** The checks of all scopes. Equal requirements of several scopes become one check. */
export function compileChecks(scoped: readonly ScopedPreferences[]): readonly Check[] {
  const checks: Check[] = [];
  for (const name of hardNames) {
    const asked = new Map<string, Check>();
    for (const scope of scoped) {
      const value = scope.preferences[name];
      if (value == null) continue;
      const key = JSON.stringify(value);
      const known = asked.get(key);
      if (known) {
        known.others.push(scope.setBy);
        continue;
      }
      const check = { name, scope, others: [] };
      asked.set(key, check);
      checks.push(check);
    }
  }
  return checks;
}

/** Every reason why an endpoint is refused; empty when it is admitted. */
export function refusals(endpoint: RoutedEndpoint, checks: readonly Check[], moment: Moment): Refusal[] {
  const found: Refusal[] = [];
  for (const { name, scope, others } of checks) {
    const mismatch = hardFields[name].mismatch(endpoint, scope.preferences, moment);
    if (!mismatch) continue;
    const { wanted, actual, fact, wouldAdmit } = mismatch;
    found.push({
      field: name,
      wanted,
      actual,
      ...(fact && { reason: fact }),
      set_by: scope.setBy,
      ...(others.length > 0 && { also_set_by: others }),
      would_admit: wouldAdmit,
    });
  }
  return found;
}

const installation: SetBy = { scope: "installation" };

/** A reason that no preference can change: the endpoint cannot be used at all, or not for this operation. */
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

/** An endpoint that must not serve the request, with every reason; the first one is the main reason. */
export interface Excluded {
  readonly endpoint: Endpoint;
  readonly refusals: readonly [Refusal, ...Refusal[]];
}

/** The endpoint with its reasons; null if there is none. */
export const excludedEndpoint = (
  endpoint: Endpoint,
  [first, ...others]: readonly Refusal[],
): Excluded | null => (first ? { endpoint, refusals: [first, ...others] } : null);

const reasonCodeOf = (field: string): string => reasonOf(field)?.code ?? field;

/** The reasons as the API returns them. */
export const exclusionsOf = (all: readonly Excluded[]): Exclusion[] =>
  all.map(({ endpoint, refusals: [first, ...others] }) => ({
    provider: endpoint.provider.slug,
    endpoint: endpoint.id,
    excluded_by: reasonCodeOf(first.field),
    ...first,
    refusals: [first, ...others],
  }));

/** The first reason of an endpoint as it is stored with a generation. */
export interface RecordedReason {
  readonly endpoint: string;
  readonly excluded_by: string;
  /** A rule's id, else a scope. */
  readonly set_by: string;
}

const recorded = new WeakMap<readonly Excluded[], readonly RecordedReason[]>();

/** The reasons in brief, cached by the list of excluded endpoints. */
export function recordedReasons(all: readonly Excluded[]): readonly RecordedReason[] {
  const known = recorded.get(all);
  if (known) return known;
  const brief = all.map(({ endpoint, refusals: [{ field, set_by }] }) => ({
    endpoint: endpoint.id,
    excluded_by: reasonCodeOf(field),
    set_by: set_by.rule_id ?? set_by.scope,
  }));
  recorded.set(all, brief);
  return brief;
}
