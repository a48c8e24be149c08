import type { Provider as WireProvider } from "#contract/provider.ts";
import type { Catalogue, Citation, Endpoint, Provider } from "./types.ts";
import { whyUnknown } from "./unknown-facts.ts";

/** The sources as one text: titles, each with its address. */
const inWords = (sources: readonly Citation[]): string | null =>
  sources.map(({ title, url }) => (url === null ? title : `${title} (${url})`)).join("; ") || null;

/** Facts that are null because they do not apply, not because they are unknown. */
const notFacts = new Set(["description", "region_note", "verified_at", "source"]);

/** A reason for every fact that is null. */
function withReasons(wire: Omit<WireProvider, "unknown">, provider: Provider): WireProvider {
  const { data_policy: policy, ...others } = wire;
  const unknown = Object.entries({ ...others, ...policy }).flatMap(([name, value]) =>
    value === null && !notFacts.has(name) ? [[name, whyUnknown(name, provider)] as const] : [],
  );
  return { ...wire, unknown: Object.fromEntries(unknown) };
}

const factsOf = (provider: Provider, endpoints: readonly Endpoint[]): Omit<WireProvider, "unknown"> => ({
  id: provider.id,
  slug: provider.slug,
  name: provider.name,
  description: provider.description,
  enabled: provider.enabled,
  model_count: new Set(endpoints.filter(({ enabled }) => enabled).map(({ model }) => model.id)).size,
  region: provider.region,
  region_note: provider.regionNote,
  headquarters: provider.headquarters,
  legal_entity: provider.legalEntity.value,
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

/** Every provider of the catalogue as `GET /providers` returns it, by name; disabled ones with `enabled: false`. */
export function publicProviders(catalogue: Catalogue): WireProvider[] {
  const served = Map.groupBy(catalogue.endpoints.values(), (endpoint) => endpoint.provider.slug);
  return [...catalogue.providers.values()]
    .map((provider) => withReasons(factsOf(provider, served.get(provider.slug) ?? []), provider))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}
