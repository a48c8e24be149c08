import type { EndpointFacts } from "#contract/endpoint-facts.ts";
import { type StoredDocument, storedDocument } from "#server/db/index.ts";
import type { Endpoint, Fact, Price, Provider } from "./types.ts";

const factOf = <T>({ value, sources, asOf, expiresAt, confidence }: Fact<T>) => ({
  ...{ value, sources, as_of: asOf, expires_at: expiresAt, confidence },
});

const priceOf = (price: Price) => ({
  ...{ version: price.version, currency: price.currency, sources: price.sources },
  ...{ as_of: price.asOf, expires_at: price.expiresAt },
});

const providerOf = (provider: Provider) => ({
  slug: provider.slug,
  name: provider.name,
  layer: provider.origin.layer,
  headquarters: provider.headquarters,
  legal_entity: factOf(provider.legalEntity),
  self_hosted: provider.selfHosted,
  eu_owned: factOf(provider.euOwned),
  storage_countries: factOf(provider.storageCountries),
  dpf_certified: provider.dpfCertified,
  conditional_retention_days: provider.conditionalRetentionDays,
  unverified: provider.unverified,
  dpa_url: provider.dpaUrl,
  data_policy_url: provider.dataPolicyUrl,
});

/** What is known of an endpoint when a request is routed, each fact with its sources, dates and confidence. */
const documentOf = (endpoint: Endpoint): EndpointFacts => ({
  endpoint: endpoint.id,
  model: endpoint.model.id,
  layer: endpoint.origin.layer,
  provider: providerOf(endpoint.provider),
  place: {
    countries: endpoint.countries,
    region_groups: endpoint.regionGroups,
    sources: endpoint.sources,
    as_of: endpoint.asOf,
    expires_at: endpoint.placeExpiresAt,
    confidence: endpoint.confidence,
  },
  training: factOf(endpoint.training),
  retention_days: factOf(endpoint.retentionDays),
  price: endpoint.price && priceOf(endpoint.price),
});

/** Endpoints are immutable: a change of the catalogue makes new ones. */
const known = new WeakMap<Endpoint, StoredDocument>();

/** The facts of an endpoint as canonical JSON (RFC 8785) and its hash. Amounts of its price are not among them. */
export function endpointFacts(endpoint: Endpoint): StoredDocument {
  const found = known.get(endpoint);
  if (found) return found;
  const made = storedDocument(documentOf(endpoint));
  known.set(endpoint, made);
  return made;
}

/** The facts of an endpoint that was made from recorded ones are these, whatever a later version would write. */
export function rememberFacts(endpoint: Endpoint, facts: StoredDocument): Endpoint {
  known.set(endpoint, facts);
  return endpoint;
}
