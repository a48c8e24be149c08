import type { Refusal } from "#contract/exclusion.ts";
import { credentialVariable } from "#contract/exclusion-words.ts";
import type { Api } from "#contract/inference-operations.ts";
import { type Catalogue, type Endpoint, findModel, type Model, whyUnusable } from "#server/catalog/index.ts";
import { compileChecks, type Dropped, dropped, refusals, unusableBecause } from "./explain.ts";
import type { Moment } from "./fields.ts";
import type { Layer } from "./scope.ts";

export interface Question {
  /** Id or alias of the model, without variant. */
  readonly model: string;
  /** The operations that can carry the request. */
  readonly apis: readonly Api[];
  /** Provider slugs this process has a credential for. */
  readonly credentials: { has(slug: string): boolean };
  readonly moment: Moment;
}

/** The endpoints of one model, divided into those that may serve and those that may not, with every reason. */
export interface Sifted {
  readonly model: Model;
  readonly eligible: readonly Endpoint[];
  readonly dropped: readonly Dropped[];
}

/** What keeps an endpoint from serving anybody, whatever is asked. */
function unusable(endpoint: Endpoint, { apis, credentials, moment }: Question): Refusal[] {
  const reasons: Refusal[] = [];
  if (!endpoint.provider.enabled || !endpoint.enabled) reasons.push(unusableBecause("enabled", true, false));
  if (!apis.some((api) => endpoint.apis.has(api))) {
    reasons.push(unusableBecause("wrong_endpoint", apis, [...endpoint.apis]));
  }
  const missing = whyUnusable(endpoint, credentials);
  if (missing === "no_credential")
    reasons.push(unusableBecause(missing, credentialVariable(endpoint.provider.slug), null));
  else if (missing) reasons.push(unusableBecause(missing, "a base URL", null));
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
 * Asks one more thing of every endpoint. Pure and monotone: it only ever moves endpoints from `eligible` to
 * `dropped`, and reasons are added to those already there.
 */
export function sieve(
  { model, eligible, dropped: before }: Sifted,
  ask: (endpoint: Endpoint) => Refusal[],
): Sifted {
  const left: Endpoint[] = [];
  const out: Dropped[] = [];
  for (const endpoint of eligible) {
    const now = dropped(endpoint, ask(endpoint));
    if (now) out.push(now);
    else left.push(endpoint);
  }
  let changed = out.length > 0;
  const still = before.map((known) => {
    const more = ask(known.endpoint);
    if (more.length === 0) return known;
    changed = true;
    return { endpoint: known.endpoint, refusals: [...known.refusals, ...more] } satisfies Dropped;
  });
  return changed
    ? { model, eligible: left, dropped: [...still, ...out] }
    : { model, eligible, dropped: before };
}

/** Applies every hard field of every layer, the widest first. The order of layers does not change who is left. */
export function siftLayers(sifted: Sifted, layers: readonly Layer[], moment: Moment): Sifted {
  const checks = compileChecks(layers);
  return checks.length === 0 ? sifted : sieve(sifted, (endpoint) => refusals(endpoint, checks, moment));
}

/** The endpoints of a model that can serve anybody at all; null when the catalogue does not know the model. */
export function siftUsable(catalogue: Catalogue, question: Question): Sifted | null {
  const model = findModel(catalogue, question.model);
  if (!model) return null;
  const eligible = catalogue.endpointsByModel.get(model.id) ?? [];
  return sieve({ model, eligible, dropped: [] }, (endpoint) => unusable(endpoint, question));
}
