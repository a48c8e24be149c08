import {
  type Catalogue,
  dialects,
  type Endpoint,
  endpointRules,
  type Fact,
  type Model,
  type Origin,
  type Price,
  type Provider,
} from "#server/catalog/index.ts";
import { uuidv5 } from "#server/platform/ids.ts";
import { exchangeRate, picoFromDecimal } from "#server/platform/money.ts";

const shipped: Origin = { layer: "shipped", orgId: null, overrides: [] };
const namespace = "0190a000-0000-7000-8000-000000000000";

export const fact = <T>(value: T | null, expiresAt: string | null = null): Fact<T> => ({
  value,
  sources: [{ title: "test", url: null }],
  asOf: "2026-11-01",
  expiresAt,
  confidence: value === null ? "none" : "high",
});

/** A price per million tokens. */
export const price = (input: string, output = input, currency: Price["currency"] = "EUR"): Price => ({
  version: `${currency} ${input} ${output}`,
  currency,
  input: picoFromDecimal(input) / 1_000_000n,
  output: picoFromDecimal(output) / 1_000_000n,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  request: 0n,
  searchUnit: null,
  tiers: [],
  sources: [{ title: "test", url: null }],
  asOf: "2026-11-01",
  expiresAt: null,
});

/** By default, a provider in France with zero retention. */
export const provider = (slug: string, own: Partial<Provider> = {}): Provider => ({
  id: uuidv5(namespace, slug),
  slug,
  origin: shipped,
  credentialName: slug,
  name: slug,
  description: null,
  kind: "openai-compatible",
  baseUrl: "https://provider.example/v1",
  auth: "none",
  enabled: true,
  free: false,
  tokenLimitField: "max_tokens",
  tokenLimitRequired: false,
  messageFields: null,
  headquarters: "FR",
  legalEntity: fact<string>(null),
  euOwned: fact(true),
  storageCountries: fact<readonly string[]>(["FR"]),
  dpfCertified: false,
  byokSupported: false,
  region: "FR",
  regionNote: null,
  selfHosted: false,
  unverified: [],
  datacenters: ["FR"],
  canPublish: false,
  requiresUserIds: false,
  training: fact(false),
  retainsPrompts: false,
  retentionDays: fact(0),
  conditionalRetentionDays: null,
  iconUrl: null,
  privacyPolicyUrl: null,
  termsOfServiceUrl: null,
  statusPageUrl: null,
  dataPolicyUrl: null,
  dpaUrl: null,
  ...own,
});

export const model = (id: string, own: Partial<Model> = {}): Model => ({
  id,
  origin: shipped,
  name: id,
  author: id.split("/")[0] ?? id,
  type: "chat",
  description: null,
  contextLength: 131_072,
  maxOutputTokens: 16_384,
  inputModalities: ["text"],
  outputModalities: ["text"],
  assumedModalities: [],
  retirement: null,
  supportedParameters: ["temperature", "top_p", "seed"],
  openWeights: true,
  embeddingDimensions: null,
  ...own,
});

/** By default, an endpoint with the facts of its provider and model. */
export const endpoint = (
  at: Provider,
  of: Model,
  own: Partial<Endpoint> & { readonly variant?: string } = {},
): Endpoint => {
  const { variant, ...others } = own;
  const tag = variant === undefined ? at.slug : `${at.slug}/${variant}`;
  const listed = others.supportedParameters ?? new Set(of.supportedParameters);
  const dialect = dialects[at.kind] ?? dialects["openai-compatible"];
  if (!dialect) throw new Error("The dialect of own servers is missing");
  return {
    id: `${tag}:${of.id}`,
    measuredAs: `${tag}:${of.id}`,
    origin: shipped,
    tag,
    provider: at,
    model: of,
    upstreamModel: of.id,
    apis: new Set(["chat", "completions"]),
    enabled: true,
    status: "active",
    price: price("1"),
    quantization: "fp8",
    contextLength: of.contextLength,
    maxOutputTokens: of.maxOutputTokens,
    supportedParameters: listed,
    rules: endpointRules(dialect, [of.id, own.upstreamModel ?? of.id], {
      endpoint: listed.size === 0 ? null : listed,
      model: null,
    }),
    countries: at.datacenters ?? [],
    placeExpiresAt: null,
    regionGroups: ["EU"],
    training: at.training,
    retentionDays: at.retentionDays,
    sources: [{ title: "test", url: null }],
    asOf: "2026-11-01",
    confidence: "high",
    ...others,
  };
};

/** The catalogue that consists of these endpoints, their models and providers. */
export function catalogueOf(
  endpoints: readonly Endpoint[],
  aliases: ReadonlyMap<string, string> = new Map(),
): Catalogue {
  const byModel = new Map<string, Endpoint[]>();
  for (const one of endpoints) byModel.set(one.model.id, [...(byModel.get(one.model.id) ?? []), one]);
  return {
    version: "test",
    asOf: "2026-11-01",
    providers: new Map(endpoints.map(({ provider: at }) => [at.slug, at])),
    models: new Map(endpoints.map(({ model: of }) => [of.id, of])),
    aliases,
    endpoints: new Map(endpoints.map((one) => [one.id, one])),
    endpointsByModel: byModel,
    exchangeRate: exchangeRate("1.1", "2026-11-01", "test"),
  };
}
