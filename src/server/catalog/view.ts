import type { CatalogueModel, CatalogueProvider, EndpointPrice, Offer } from "#contract/catalogue-view.ts";
import {
  decimalFromPico,
  type ExchangeRate,
  eurFromUsd,
  type Pico,
  usdFromEur,
} from "#server/platform/money.ts";
import { type Credentials, whyUnusable } from "./lookup.ts";
import { retirementFields } from "./retirement.ts";
import type { Catalogue, Endpoint, Fact, Model, Price, Provider } from "./types.ts";
import { whyUnknown } from "./unknown-facts.ts";

/** What a view needs besides the catalogue: which providers have credentials, and the UTC day of the facts. */
export interface View {
  readonly catalogue: Catalogue;
  readonly credentials: { readonly own: Credentials; readonly installation: Credentials };
  readonly today: string;
}

const over = (expiresAt: string | null, today: string): boolean => expiresAt !== null && expiresAt < today;

const wireFact = <T>({ value, sources, asOf, expiresAt, confidence }: Fact<T>, today: string) => ({
  value,
  sources: [...sources],
  as_of: asOf,
  expires_at: expiresAt,
  confidence,
  expired: over(expiresAt, today),
});

const digits = 6;
const million = 1_000_000n;
const thousand = 1_000n;

function wirePrice(price: Price, rate: ExchangeRate, today: string): EndpointPrice {
  const eur = (pico: Pico) => (price.currency === "EUR" ? pico : eurFromUsd(pico, rate));
  const usd = (pico: Pico) => (price.currency === "USD" ? pico : usdFromEur(pico, rate));
  const amounts = (to: (pico: Pico) => Pico) => {
    const text = (pico: Pico) => decimalFromPico(to(pico), digits);
    return {
      prompt: text(price.input * million),
      completion: text(price.output * million),
      cache_read: price.cacheRead === null ? null : text(price.cacheRead * million),
      request: price.request === 0n ? null : text(price.request),
      searches: price.searchUnit === null ? null : text(price.searchUnit * thousand),
    };
  };
  return {
    currency: price.currency,
    eur: amounts(eur),
    usd: amounts(usd),
    tiers: price.tiers.length,
    sources: [...price.sources],
    as_of: price.asOf,
    expired: over(price.expiresAt, today),
  };
}

const documents = (provider: Provider) => [
  { name: "data_policy_url", label: "Data policy", url: provider.dataPolicyUrl },
  { name: "privacy_policy_url", label: "Privacy policy", url: provider.privacyPolicyUrl },
  { name: "terms_of_service_url", label: "Terms of service", url: provider.termsOfServiceUrl },
  { name: "dpa_url", label: "Data processing agreement", url: provider.dpaUrl },
  { name: "status_page_url", label: "Status page", url: provider.statusPageUrl },
];

const links = (provider: Provider): CatalogueProvider["links"] =>
  documents(provider).flatMap(({ label, url }) => (url === null ? [] : [{ label, url }]));

/** Missing documents of a provider, grouped by reason. */
const notLinked = (provider: Provider): CatalogueProvider["not_linked"] => {
  const missing = documents(provider).filter(({ url }) => url === null);
  const byReason = Map.groupBy(missing, ({ name }) => whyUnknown(name, provider));
  return [...byReason].map(([reason, all]) => ({ labels: all.map(({ label }) => label), reason }));
};

/** A caller reaches a provider with either credential. */
const either = ({ credentials: { own, installation } }: View): Credentials => ({
  has: (name) => own.has(name) || installation.has(name),
  isUnreadable: (name, model) => own.isUnreadable?.(name, model) ?? false,
});

/** Why a caller cannot use an endpoint; null if they can. */
export const whyUnusableFor = (view: View, endpoint: Endpoint) => whyUnusable(endpoint, either(view));

/** Why a caller cannot use any of the endpoints of a provider; null if they can. */
function whyNoneUsable(view: View, endpoints: readonly Endpoint[]): CatalogueProvider["unusable"] {
  const reasons = endpoints.map((endpoint) => whyUnusableFor(view, endpoint));
  return reasons.includes(null) ? null : (reasons[0] ?? "no_endpoint");
}

/** Every provider with its facts and their sources, by name. */
export function providerView(view: View): CatalogueProvider[] {
  const { catalogue, credentials, today } = view;
  const served = Map.groupBy(catalogue.endpoints.values(), ({ provider }) => provider.slug);
  return [...catalogue.providers.values()]
    .map((provider): CatalogueProvider => {
      const endpoints = served.get(provider.slug) ?? [];
      return {
        slug: provider.slug,
        name: provider.name,
        description: provider.description,
        kind: provider.kind,
        auth: provider.auth,
        enabled: provider.enabled,
        unusable: whyNoneUsable(view, endpoints),
        credentials: {
          own: credentials.own.has(provider.credentialName),
          installation: credentials.installation.has(provider.credentialName),
        },
        model_count: new Set(endpoints.filter(({ enabled }) => enabled).map(({ model }) => model.id)).size,
        headquarters: provider.headquarters,
        legal_entity: wireFact(provider.legalEntity, today),
        region: provider.region,
        region_note: provider.regionNote,
        countries: [...new Set(endpoints.flatMap(({ countries }) => countries))].toSorted(),
        region_groups: [
          ...new Set(
            endpoints.filter((one) => one.countries.length === 0).flatMap((one) => one.regionGroups),
          ),
        ],
        eu_owned: wireFact(provider.euOwned, today),
        training: wireFact(provider.training, today),
        retention_days: wireFact(provider.retentionDays, today),
        storage_countries: wireFact(
          {
            ...provider.storageCountries,
            value: provider.storageCountries.value && [...provider.storageCountries.value],
          },
          today,
        ),
        conditional_retention_days: provider.conditionalRetentionDays,
        dpf_certified: provider.dpfCertified,
        byok_supported: provider.byokSupported,
        links: links(provider),
        not_linked: notLinked(provider),
      };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function wireModel(model: Model, view: View): CatalogueModel {
  const { catalogue, today } = view;
  const endpoints = (catalogue.endpointsByModel.get(model.id) ?? []).filter(({ enabled }) => enabled);
  const prices = endpoints
    .flatMap(({ price }) => (price ? [wirePrice(price, catalogue.exchangeRate, today)] : []))
    .toSorted((a, b) => Number(a.eur.prompt) - Number(b.eur.prompt));
  const [cheapest] = prices;
  return {
    id: model.id,
    name: model.name,
    type: model.type,
    description: model.description,
    context_length: model.contextLength,
    open_weights: model.openWeights,
    providers: [...new Set(endpoints.map(({ provider }) => provider.slug))],
    usable_endpoints: endpoints.filter((endpoint) => !whyUnusableFor(view, endpoint)).length,
    endpoint_count: endpoints.length,
    ...retirementFields(model),
    cheapest: cheapest ? { eur: cheapest.eur.prompt, usd: cheapest.usd.prompt } : null,
  };
}

/** Every model that an endpoint serves, by id. */
export const modelView = (view: View): CatalogueModel[] =>
  [...view.catalogue.models.values()]
    .map((model) => wireModel(model, view))
    .filter(({ endpoint_count }) => endpoint_count > 0)
    .toSorted((a, b) => a.id.localeCompare(b.id, "en"));

const wireEndpoint = (endpoint: Endpoint, view: View): Offer => ({
  id: endpoint.id,
  model: endpoint.model.id,
  tag: endpoint.tag,
  provider: endpoint.provider.slug,
  provider_name: endpoint.provider.name,
  status: endpoint.status,
  unusable: whyUnusableFor(view, endpoint),
  countries: [...endpoint.countries],
  region_groups: [...endpoint.regionGroups],
  eu_owned: wireFact(endpoint.provider.euOwned, view.today),
  training: wireFact(endpoint.training, view.today),
  retention_days: wireFact(endpoint.retentionDays, view.today),
  quantization: endpoint.quantization,
  context_length: endpoint.contextLength,
  max_output_tokens: endpoint.maxOutputTokens,
  supported_parameters: [...endpoint.supportedParameters].toSorted(),
  apis: [...endpoint.apis],
  price: endpoint.price && wirePrice(endpoint.price, view.catalogue.exchangeRate, view.today),
  sources: [...endpoint.sources],
  as_of: endpoint.asOf,
  confidence: endpoint.confidence,
});

/** One model with its endpoints, usable ones before others, each cheapest first; null if the catalogue does not have it. */
export function endpointView(id: string, view: View) {
  const model = view.catalogue.models.get(id);
  if (!model) return null;
  const { usdPerEur, date } = view.catalogue.exchangeRate;
  const cost = ({ price }: Offer) =>
    price ? Number(price.eur.prompt) + Number(price.eur.completion) : Number.POSITIVE_INFINITY;
  return {
    model: wireModel(model, view),
    rate: { usd_per_eur: usdPerEur, date },
    endpoints: (view.catalogue.endpointsByModel.get(id) ?? [])
      .filter(({ enabled }) => enabled)
      .map((endpoint) => wireEndpoint(endpoint, view))
      .toSorted(
        (a, b) =>
          Number(a.unusable !== null) - Number(b.unusable !== null) ||
          cost(a) - cost(b) ||
          a.id.localeCompare(b.id, "en"),
      ),
  };
}

/** The models of a provider. */
export const offerView = (provider: string, view: View): Offer[] =>
  [...view.catalogue.endpoints.values()]
    .filter((endpoint) => endpoint.enabled && endpoint.provider.slug === provider)
    .map((endpoint) => wireEndpoint(endpoint, view))
    .toSorted((a, b) => a.id.localeCompare(b.id, "en"));
