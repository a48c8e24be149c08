import type { Provider as WireProvider } from "#contract/provider.ts";
import type { Catalogue, Citation, Endpoint, Provider } from "./types.ts";

/** One text for clients that show one: titles, each with its address. */
const inWords = (sources: readonly Citation[]): string | null =>
  sources.map(({ title, url }) => (url === null ? title : `${title} (${url})`)).join("; ") || null;

const wireProvider = (provider: Provider, endpoints: readonly Endpoint[]): WireProvider => ({
  id: provider.id,
  slug: provider.slug,
  name: provider.name,
  description: provider.description,
  enabled: provider.enabled,
  model_count: new Set(endpoints.filter(({ enabled }) => enabled).map(({ model }) => model.id)).size,
  region: provider.region,
  headquarters: provider.headquarters,
  datacenters: provider.datacenters === null ? null : [...provider.datacenters],
  eu_owned: provider.euOwned.value,
  byok: { supported: provider.byokSupported },
  icon_url: provider.iconUrl,
  privacy_policy_url: provider.privacyPolicyUrl,
  terms_of_service_url: provider.termsOfServiceUrl,
  status_page_url: provider.statusPageUrl,
  data_policy: {
    training: provider.training.value,
    retains_prompts: provider.retainsPrompts,
    retention_days: provider.retentionDays.value,
    conditional_retention_days: provider.conditionalRetentionDays,
    storage_countries: provider.storageCountries.value && [...provider.storageCountries.value],
    zdr: provider.retainsPrompts === false,
    can_publish: provider.canPublish,
    requires_user_ids: provider.requiresUserIds,
    terms_of_service_url: provider.termsOfServiceUrl,
    privacy_policy_url: provider.privacyPolicyUrl,
    data_policy_url: provider.dataPolicyUrl,
    dpa_url: provider.dpaUrl,
    dpf_certified: provider.dpfCertified,
    verified_at: provider.training.asOf,
    source: inWords(provider.training.sources),
    confidence: provider.training.confidence,
  },
});

/** Every provider of the catalogue as `GET /providers` lists it, by name; disabled ones with `enabled: false`. */
export function publicProviders(catalogue: Catalogue): WireProvider[] {
  const served = Map.groupBy(catalogue.endpoints.values(), (endpoint) => endpoint.provider.slug);
  return [...catalogue.providers.values()]
    .map((provider) => wireProvider(provider, served.get(provider.slug) ?? []))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}
