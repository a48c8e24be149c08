import { EndpointFacts } from "#contract/endpoint-facts.ts";
import { parameters } from "#contract/parameter-classes.ts";
import {
  type Catalogue,
  type Endpoint,
  type EndpointRules,
  type Model,
  type Origin,
  type Provider,
  rememberFacts,
} from "#server/catalog/index.ts";
import type { StoredDocument } from "#server/db/index.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import type { EndpointInput, ModelInput } from "./recorded-inputs.ts";
import type { RoutedEndpoint, RoutedModel } from "./routed-endpoint.ts";

const origin: Origin = { layer: "shipped", orgId: null, overrides: [] };
const recordedBaseUrl = "https://recorded.invalid";

type ReadOfProvider =
  | keyof RoutedEndpoint["provider"]
  | ("name" | "headquarters" | "storageCountries" | "selfHosted" | "unverified" | "training")
  | ("retentionDays" | "conditionalRetentionDays" | "dataPolicyUrl" | "dpaUrl");

/** Fields that routing does not read: what it reads of them is in `RoutedEndpoint`. */
const unreadOfProvider: Omit<Provider, ReadOfProvider> = {
  ...{ origin, id: "", description: null, kind: "", free: false, tokenLimitField: "max_tokens" },
  ...{ tokenLimitRequired: false, messageFields: null, byokSupported: false, region: null, regionNote: null },
  ...{
    datacenters: null,
    requiresUserIds: false,
    retainsPrompts: null,
    iconUrl: null,
    privacyPolicyUrl: null,
  },
  ...{ termsOfServiceUrl: null, statusPageUrl: null },
  legalEntity: { value: null, sources: [], confidence: "none", asOf: null, expiresAt: null },
};
const unreadOfModel: Omit<Model, keyof RoutedModel> = {
  ...{ origin, name: "", author: "", type: "chat", description: null, contextLength: null },
  ...{ maxOutputTokens: null, supportedParameters: [], openWeights: null, embeddingDimensions: null },
  retirement: null,
};
const unreadOfPrice = { cacheRead: null, cacheWrite: null, reasoning: null, tiers: [] } as const;

type RecordedFact<T> = Pick<EndpointFacts["training"], "sources" | "as_of" | "expires_at" | "confidence"> & {
  readonly value: T | null;
};

const factFrom = <T>({ value, sources, as_of, expires_at, confidence }: RecordedFact<T>) => ({
  ...{ value, sources, confidence, asOf: as_of, expiresAt: expires_at },
});

const modelFrom = (input: ModelInput): Model => ({
  ...unreadOfModel,
  id: input.id,
  inputModalities: input.input_modalities,
  outputModalities: input.output_modalities,
  assumedModalities: input.assumed_modalities,
});

const providerFrom = (input: EndpointInput, facts: EndpointFacts): Provider => ({
  ...unreadOfProvider,
  slug: facts.provider.slug,
  name: facts.provider.name,
  credentialName: input.credential_name,
  baseUrl: input.has_base_url ? recordedBaseUrl : null,
  auth: input.auth,
  enabled: input.provider_enabled,
  headquarters: facts.provider.headquarters,
  euOwned: factFrom(facts.provider.eu_owned),
  storageCountries: factFrom(facts.provider.storage_countries),
  dpfCertified: facts.provider.dpf_certified,
  selfHosted: facts.provider.self_hosted,
  unverified: facts.provider.unverified,
  canPublish: input.can_publish,
  training: factFrom(facts.training),
  retentionDays: factFrom(facts.retention_days),
  conditionalRetentionDays: facts.provider.conditional_retention_days,
  dataPolicyUrl: facts.provider.data_policy_url,
  dpaUrl: facts.provider.dpa_url,
});

const fieldsFrom = ({ supported, unsupported }: EndpointInput["chat_fields"]): EndpointRules["chat"] => {
  const [yes, no] = [new Set(supported), new Set(unsupported)];
  return new Map(
    [...new Set([...parameters, ...supported, ...unsupported])].map((name) => [
      name,
      { support: yes.has(name) ? "supported" : no.has(name) ? "unsupported" : "unknown" },
    ]),
  );
};

function priceFrom({ price }: EndpointInput, { price: known }: EndpointFacts): Endpoint["price"] {
  if (price === null || known === null) return null;
  return {
    ...unreadOfPrice,
    version: known.version,
    currency: price.currency,
    input: BigInt(price.input),
    output: BigInt(price.output),
    request: BigInt(price.request),
    searchUnit: price.search_unit === null ? null : BigInt(price.search_unit),
    sources: known.sources,
    asOf: known.as_of,
    expiresAt: known.expires_at,
  };
}

function endpointFrom(input: EndpointInput, model: Model, document: StoredDocument): Endpoint {
  const facts = EndpointFacts.parse(JSON.parse(document.body));
  const endpoint: Endpoint = {
    id: input.id,
    measuredAs: input.id,
    origin,
    tag: input.tag,
    provider: providerFrom(input, facts),
    model,
    upstreamModel: "",
    apis: new Set(input.apis),
    enabled: input.enabled,
    status: "active",
    price: priceFrom(input, facts),
    quantization: input.quantization,
    contextLength: input.context_length,
    maxOutputTokens: input.max_output_tokens,
    supportedParameters: new Set(input.supported_parameters),
    rules: {
      ...{ dialect: "", unknownFields: "ignored", storesChats: false },
      chat: fieldsFrom(input.chat_fields),
      responses: fieldsFrom(input.responses_fields),
    },
    countries: facts.place.countries,
    placeExpiresAt: facts.place.expires_at,
    regionGroups: facts.place.region_groups,
    training: factFrom(facts.training),
    retentionDays: factFrom(facts.retention_days),
    sources: facts.place.sources,
    asOf: facts.place.as_of,
    confidence: facts.place.confidence,
  };
  return rememberFacts(endpoint, document);
}

/**
 * The part of a catalogue that decisions were made from. `factsOf` returns the document of facts with a hash; it throws
 * if there is none.
 */
export function recordedCatalogue(
  inputs: readonly ModelInput[],
  factsOf: (hash: string) => StoredDocument,
  exchangeRate: ExchangeRate,
): Catalogue {
  // A request can name a model twice, for example with and without a variant.
  const byId = new Map(inputs.map((input) => [input.id, input]));
  const models = new Map(inputs.map((input) => [input.id, modelFrom(input)]));
  const endpoints = [...byId.values()].flatMap((input) => {
    const model = models.get(input.id);
    return model ? input.endpoints.map((one) => endpointFrom(one, model, factsOf(one.facts))) : [];
  });
  return {
    version: "",
    asOf: "",
    providers: new Map(endpoints.map(({ provider }) => [provider.slug, provider])),
    models,
    aliases: new Map(inputs.flatMap(({ id, aliases }) => aliases.map((alias) => [alias, id] as const))),
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    endpointsByModel: Map.groupBy(endpoints, ({ model }) => model.id),
    exchangeRate,
  };
}
