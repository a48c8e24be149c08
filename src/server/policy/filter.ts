import type { Refusal } from "#contract/exclusion.ts";
import { credentialVariable } from "#contract/exclusion-words.ts";
import type { Api } from "#contract/inference-operations.ts";
import {
  type Catalogue,
  type Credentials,
  type Endpoint,
  findModel,
  type Model,
  whyUnusable,
} from "#server/catalog/index.ts";
import { compileChecks, type Excluded, excludedEndpoint, refusals, unusableBecause } from "./explain.ts";
import type { Moment } from "./fields.ts";
import type { RoutedEndpoint } from "./routed-endpoint.ts";
import type { ScopedPreferences } from "./scope.ts";

export interface Question {
  /** Id or alias of the model, without variant. */
  readonly model: string;
  /** The operations that can carry the request. */
  readonly apis: readonly Api[];
  /** Provider slugs this process has a credential for. */
  readonly credentials: Credentials;
  readonly moment: Moment;
}

/** The endpoints of one model: eligible ones, and excluded ones with every reason. */
export interface Filtered {
  readonly model: Model;
  readonly eligible: readonly Endpoint[];
  readonly excluded: readonly Excluded[];
}

/** What is wanted where something is missing. */
const wantedFor = {
  own_credential: () => "a credential that can be read",
  no_credential: ({ provider }: RoutedEndpoint) => credentialVariable(provider.slug),
  no_base_url: () => "a base URL",
};

/** Why an endpoint cannot be used, whatever the rules and the request say. */
function unusable(endpoint: RoutedEndpoint, { apis, credentials, moment }: Question): Refusal[] {
  const reasons: Refusal[] = [];
  if (!endpoint.provider.enabled || !endpoint.enabled) reasons.push(unusableBecause("enabled", true, false));
  if (!apis.some((api) => endpoint.apis.has(api))) {
    reasons.push(unusableBecause("wrong_endpoint", apis, [...endpoint.apis]));
  }
  const missing = whyUnusable(endpoint, credentials);
  if (missing) reasons.push(unusableBecause(missing, wantedFor[missing](endpoint), null));
  const { price } = endpoint;
  if (price === null) reasons.push(unusableBecause("unpriced", "a price", null));
  else if (price.expiresAt !== null && price.expiresAt < moment.today) {
    reasons.push({
      ...unusableBecause("unpriced", "a price that holds", price.expiresAt),
      reason: "fact_expired",
    });
  }
  return reasons;
}

/**
 * Checks every endpoint once more. Pure and monotone: endpoints only move from `eligible` to `excluded`, and reasons
 * are added to those already excluded.
 */
export function filterEndpoints(
  { model, eligible, excluded: before }: Filtered,
  reasonsOf: (endpoint: RoutedEndpoint) => Refusal[],
): Filtered {
  const left: Endpoint[] = [];
  const out: Excluded[] = [];
  for (const endpoint of eligible) {
    const now = excludedEndpoint(endpoint, reasonsOf(endpoint));
    if (now) out.push(now);
    else left.push(endpoint);
  }
  let changed = out.length > 0;
  const still = before.map((known) => {
    const more = reasonsOf(known.endpoint);
    if (more.length === 0) return known;
    changed = true;
    return { endpoint: known.endpoint, refusals: [...known.refusals, ...more] } satisfies Excluded;
  });
  return changed
    ? { model, eligible: left, excluded: [...still, ...out] }
    : { model, eligible, excluded: before };
}

/** Applies every requirement of every scope. The order of scopes does not change the result. */
export function filterByPreferences(
  filtered: Filtered,
  scoped: readonly ScopedPreferences[],
  moment: Moment,
): Filtered {
  const checks = compileChecks(scoped);
  return checks.length === 0
    ? filtered
    : filterEndpoints(filtered, (endpoint) => refusals(endpoint, checks, moment));
}

/** The endpoints of a model, those that cannot be used at all excluded; null if the model is unknown. */
export function filterUsable(catalogue: Catalogue, question: Question): Filtered | null {
  const model = findModel(catalogue, question.model);
  if (!model) return null;
  const eligible = catalogue.endpointsByModel.get(model.id) ?? [];
  return filterEndpoints({ model, eligible, excluded: [] }, (endpoint) => unusable(endpoint, question));
}
