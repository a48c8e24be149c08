import type { EndpointEntry, FactEntry, ModelEntry, ProviderEntry } from "#contract/catalogue.ts";
import { type Api, inferenceOperations, modelKinds } from "#contract/inference-operations.ts";
import { commonModalities } from "#contract/modalities.ts";
import { uuidv5 } from "#server/platform/ids.ts";
import type { Cite } from "./citations.ts";
import { endpointRules } from "./dialects/dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ownCredentialName } from "./lookup.ts";
import { retirementOf } from "./retirement.ts";
import { endpointIdOf, type Located, tagOf } from "./sources.ts";
import type { Endpoint, Fact, Model, Price, Provider } from "./types.ts";

/** The namespace of provider ids. Part of the public contract: it must never change. */
const providerNamespace = "5f0c1f5e-7d0e-4c8b-9d55-6b1d2f0a9c41";

const factFrom = <T>(entry: FactEntry<T>, cite: Cite): Fact<T> => ({
  value: entry.value,
  sources: cite(entry.source),
  asOf: entry.as_of,
  expiresAt: entry.expires_at,
  confidence: entry.confidence,
});

/** An address with an unreplaced `{part}` is incomplete. */
const usableAddress = (address: string | null, sandboxOrigin: string | undefined): string | null => {
  const filled =
    sandboxOrigin === undefined ? address : (address?.replace("{sandbox_origin}", sandboxOrigin) ?? null);
  return filled?.includes("{") ? null : filled;
};

export function providerFrom(
  { entry, origin }: Located<ProviderEntry>,
  cite: Cite,
  sandboxOrigin: string | undefined,
): Provider {
  return {
    id: uuidv5(providerNamespace, entry.slug),
    slug: entry.slug,
    origin,
    credentialName: origin.orgId === null ? entry.slug : ownCredentialName(entry.slug),
    name: entry.name,
    description: entry.description,
    kind: entry.kind,
    baseUrl: usableAddress(entry.base_url, sandboxOrigin),
    auth: entry.auth,
    enabled: entry.enabled,
    free: entry.free,
    tokenLimitField: entry.token_limit_field,
    tokenLimitRequired: entry.token_limit_required,
    messageFields: entry.message_fields && new Set(entry.message_fields),
    headquarters: entry.headquarters,
    legalEntity: factFrom(entry.legal_entity, cite),
    euOwned: factFrom(entry.eu_owned, cite),
    storageCountries: factFrom(entry.storage_countries, cite),
    dpfCertified: entry.dpf_certified,
    byokSupported: entry.byok_supported,
    region: entry.region,
    regionNote: entry.region_note,
    selfHosted: entry.self_hosted,
    unverified: entry.unverified,
    datacenters: entry.datacenters,
    canPublish: entry.can_publish,
    requiresUserIds: entry.requires_user_ids,
    training: factFrom(entry.training, cite),
    retainsPrompts: entry.retains_prompts,
    retentionDays: factFrom(entry.retention_days, cite),
    conditionalRetentionDays: entry.conditional_retention_days,
    iconUrl: entry.icon_url,
    privacyPolicyUrl: entry.privacy_policy_url,
    termsOfServiceUrl: entry.terms_of_service_url,
    statusPageUrl: entry.status_page_url,
    dataPolicyUrl: entry.data_policy_url,
    dpaUrl: entry.dpa_url,
  };
}

/** The models of the catalogue, for what a model says about others. */
type Names = ReadonlyMap<string, unknown>;

const modalityFields = ["input_modalities", "output_modalities"] as const;

export function modelFrom({ entry, origin }: Located<ModelEntry>, models: Names): Model {
  const [author = "", name = ""] = entry.id.split("/");
  const kind = modelKinds[entry.type];
  return {
    id: entry.id,
    origin,
    name: entry.name ?? name,
    author,
    type: entry.type,
    description: entry.description,
    contextLength: entry.context_length,
    maxOutputTokens: entry.max_output_tokens,
    inputModalities: commonModalities(entry.input_modalities ?? ["text"]),
    outputModalities: commonModalities(entry.output_modalities ?? [kind.output]),
    assumedModalities: modalityFields.filter((field) => entry[field] === undefined),
    supportedParameters: entry.supported_parameters ?? kind.parameters,
    openWeights: entry.open_weights,
    embeddingDimensions: entry.embedding_dimensions,
    retirement: retirementOf(entry, models),
  };
}

/** The entry's own operations, else those of the provider that fit the model's type. */
export const apisOf = (entry: EndpointEntry, provider: ProviderEntry, model: ModelEntry): ReadonlySet<Api> =>
  new Set(entry.apis ?? provider.apis.filter((api) => inferenceOperations[api].modelType === model.type));

/** The larger of the ordinary and the conditional days; unknown if either is unknown. */
function strictRetention(entry: EndpointEntry, provider: ProviderEntry, cite: Cite): Fact<number> {
  const ordinary = entry.retention_days ?? provider.retention_days;
  const conditional =
    entry.conditional_retention_days === undefined
      ? provider.conditional_retention_days
      : entry.conditional_retention_days;
  const fact = factFrom(ordinary, cite);
  return fact.value === null ? fact : { ...fact, value: Math.max(fact.value, conditional ?? 0) };
}

const listOf = (names: readonly string[] | undefined) => (names ? new Set(names) : null);

/** An endpoint with everything it inherits. */
export function endpointFrom(
  { entry, origin }: Located<EndpointEntry>,
  from: { provider: ProviderEntry; model: ModelEntry; apis: ReadonlySet<Api>; price: Price | null },
  known: { provider: Provider; model: Model },
  cite: Cite,
): Endpoint {
  const own = entry.base_url === undefined ? null : { baseUrl: usableAddress(entry.base_url, undefined) };
  const upstreamModel = entry.upstream_model ?? entry.model.slice(entry.model.indexOf("/") + 1);
  const id = endpointIdOf(entry);
  return {
    id,
    measuredAs: origin.orgId === null ? id : `${origin.orgId} ${id}`,
    origin,
    tag: tagOf(entry),
    provider: own ? { ...known.provider, ...own } : known.provider,
    model: known.model,
    upstreamModel,
    apis: from.apis,
    enabled: entry.enabled,
    status: entry.status,
    price: from.price,
    quantization: entry.quantization,
    contextLength: entry.context_length === undefined ? known.model.contextLength : entry.context_length,
    maxOutputTokens:
      entry.max_output_tokens === undefined ? known.model.maxOutputTokens : entry.max_output_tokens,
    supportedParameters: new Set(entry.supported_parameters ?? known.model.supportedParameters),
    rules: endpointRules(
      dialectOf(from.provider),
      [entry.model.slice(entry.model.indexOf("/") + 1), upstreamModel],
      { endpoint: listOf(entry.supported_parameters), model: listOf(from.model.supported_parameters) },
    ),
    countries: entry.countries ?? from.provider.datacenters ?? [],
    placeExpiresAt: entry.place_expires_at ?? from.provider.place_expires_at,
    regionGroups: entry.region_groups ?? from.provider.region_groups,
    training: factFrom(entry.training ?? from.provider.training, cite),
    retentionDays: strictRetention(entry, from.provider, cite),
    sources: cite(entry.source),
    asOf: entry.as_of,
    confidence: entry.confidence,
  };
}
