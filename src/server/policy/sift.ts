import type { Exclusion, Refusal } from "#contract/exclusion.ts";
import {
  type Api,
  type Catalogue,
  type Endpoint,
  findModel,
  type Model,
  whyUnusable,
} from "#server/catalog/index.ts";
import { compileChecks, exclusion, refusals, unusableBecause } from "./explain.ts";
import type { Moment } from "./fields.ts";
import type { Layer } from "./layer.ts";

export interface Question {
  /** Id or alias of the model, without variant. */
  readonly model: string;
  /** The operations that can carry the request. */
  readonly apis: readonly Api[];
  /** All wishes that bear on the request, wide ones first. */
  readonly layers: readonly Layer[];
  /** Provider slugs this process has a credential for. */
  readonly credentials: { has(slug: string): boolean };
  readonly moment: Moment;
}

/** The endpoints of one model, divided into those that may serve and those that may not, with every reason. */
export interface Sifted {
  readonly model: Model;
  readonly eligible: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
}

/** What keeps an endpoint from serving anybody, whatever is asked. */
function unusable(endpoint: Endpoint, { apis, credentials, moment }: Question): Refusal[] {
  const reasons: Refusal[] = [];
  if (!endpoint.provider.enabled || !endpoint.enabled) reasons.push(unusableBecause("enabled", true, false));
  if (!apis.some((api) => endpoint.apis.has(api))) {
    reasons.push(unusableBecause("wrong_endpoint", apis, [...endpoint.apis]));
  }
  const missing = whyUnusable(endpoint, credentials);
  if (missing)
    reasons.push(unusableBecause(missing, missing === "no_base_url" ? "a base URL" : "a credential", null));
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
 * Applies every wish to every endpoint of the model. Null when the catalogue does not know the model. Pure, and
 * monotone: one more layer never admits one more endpoint, and the order of layers does not matter.
 */
export function sift(catalogue: Catalogue, question: Question): Sifted | null {
  const model = findModel(catalogue, question.model);
  if (!model) return null;
  const checks = compileChecks(question.layers);
  const eligible: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of catalogue.endpointsByModel.get(model.id) ?? []) {
    const [first, ...others] = [
      ...unusable(endpoint, question),
      ...refusals(endpoint, checks, question.moment),
    ];
    if (first) excluded.push(exclusion(endpoint, [first, ...others]));
    else eligible.push(endpoint);
  }
  return { model, eligible, excluded };
}
