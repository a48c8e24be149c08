import { z } from "zod";

const Count = z.number().int();

/** Where something is known from: a short title, and its address when there is one to open. */
export const Citation = z.object({
  title: z.string().describe("Title of the source."),
  url: z.string().nullable().describe("URL of the source; null if it has none."),
});
export type Citation = z.infer<typeof Citation>;

/** A claim with where it comes from. `expired`: its day is over, and it counts as unknown. */
const fact = <T extends z.ZodType>(value: T) =>
  z.object({
    value: value.nullable(),
    sources: z.array(Citation),
    as_of: z.string().nullable(),
    expires_at: z.string().nullable(),
    confidence: z.enum(["high", "medium", "low", "none"]),
    expired: z.boolean(),
  });

/** What routing asks of a provider or endpoint. */
const policyFacts = {
  eu_owned: fact(z.boolean()),
  training: fact(z.boolean()),
  retention_days: fact(z.number()),
};

/** Why nothing can be sent there, whatever the rules say; null when something can. */
const Unusable = z.enum(["own_credential", "no_base_url", "no_credential", "no_endpoint"]).nullable();

/** What this process has seen in the last half hour. */
export const Health = z.object({
  cooling: z.boolean(),
  /** Share of attempts that were answered, 0 to 1; 1 when there were none. */
  health: z.number(),
  /** Whether anything was seen at all. */
  measured: z.boolean(),
  /** Seconds to the first content. */
  latency_p50: z.number().nullable(),
  /** Tokens a second. */
  throughput_p50: z.number().nullable(),
});
export type Health = z.infer<typeof Health>;

export const CatalogueProvider = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  kind: z.string(),
  /** How it wants its credential shown; `none` when it wants none. */
  auth: z.string(),
  enabled: z.boolean(),
  unusable: Unusable,
  /** Whose credential requests can be sent with. */
  credentials: z.object({ own: z.boolean(), installation: z.boolean() }),
  model_count: Count,
  headquarters: z.string().nullable(),
  legal_entity: fact(z.string()),
  region: z.string().nullable(),
  /** What is known of where it runs, in words. */
  region_note: z.string().nullable(),
  countries: z.array(z.string()),
  /** Wider promises of endpoints that name no country. */
  region_groups: z.array(z.string()),
  ...policyFacts,
  storage_countries: fact(z.array(z.string())),
  conditional_retention_days: z.number().nullable(),
  dpf_certified: z.boolean(),
  byok_supported: z.boolean(),
  links: z.array(z.object({ label: z.string(), url: z.string() })),
  /** Documents there is no address of, and why. */
  not_linked: z.array(z.object({ labels: z.array(z.string()), reason: z.string() })),
});
export type CatalogueProvider = z.infer<typeof CatalogueProvider>;

/** Decimals for a million tokens, one request, or a thousand searches; null when that has no price of its own. */
const Amounts = z.object({
  prompt: z.string(),
  completion: z.string(),
  cache_read: z.string().nullable(),
  request: z.string().nullable(),
  searches: z.string().nullable(),
});

export const EndpointPrice = z.object({
  /** What the provider charges in. */
  currency: z.enum(["USD", "EUR"]),
  eur: Amounts,
  usd: Amounts,
  tiers: Count,
  sources: z.array(Citation),
  as_of: z.string().nullable(),
  expired: z.boolean(),
});
export type EndpointPrice = z.infer<typeof EndpointPrice>;

export const CatalogueModel = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  description: z.string().nullable(),
  context_length: Count.nullable(),
  open_weights: z.boolean().nullable(),
  providers: z.array(z.string()),
  usable_endpoints: Count,
  endpoint_count: Count,
  /** Announced days since which it is discouraged, and from which it may be gone, and what to use instead. */
  deprecation_date: z.string().nullable(),
  expiration_date: z.string().nullable(),
  successor: z.string().nullable(),
  /** The lowest for a million tokens of prompt, of those with a price. */
  cheapest: z.object({ eur: z.string(), usd: z.string() }).nullable(),
});
export type CatalogueModel = z.infer<typeof CatalogueModel>;

export const CatalogueEndpoint = z.object({
  id: z.string(),
  model: z.string(),
  tag: z.string(),
  provider: z.string(),
  provider_name: z.string(),
  status: z.enum(["active", "preview", "deprecated"]),
  unusable: Unusable,
  countries: z.array(z.string()),
  region_groups: z.array(z.string()),
  ...policyFacts,
  quantization: z.string(),
  context_length: Count.nullable(),
  max_output_tokens: Count.nullable(),
  supported_parameters: z.array(z.string()),
  apis: z.array(z.string()),
  price: EndpointPrice.nullable(),
  health: Health,
  sources: z.array(Citation),
  as_of: z.string().nullable(),
  confidence: z.string(),
});
export type CatalogueEndpoint = z.infer<typeof CatalogueEndpoint>;

/** What a provider serves: an endpoint without what this process has seen of it. */
export const Offer = CatalogueEndpoint.omit({ health: true });
export type Offer = z.infer<typeof Offer>;

export const ModelWithEndpoints = z.object({
  model: CatalogueModel,
  endpoints: z.array(CatalogueEndpoint),
  /** The exchange rate between the two prices. */
  rate: z.object({ usd_per_eur: z.string(), date: z.string() }),
});
export type ModelWithEndpoints = z.infer<typeof ModelWithEndpoints>;

export const ProviderHealth = Health.extend({ slug: z.string(), name: z.string() });
export type ProviderHealth = z.infer<typeof ProviderHealth>;
