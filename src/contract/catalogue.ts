import { z } from "zod";
import {
  confidence,
  country,
  day,
  days,
  decimal,
  exactDay,
  flag,
  isAddress,
  modelId,
  notAnAddress,
  oneOf,
  slug,
  strict,
  text,
  tokens,
  url,
} from "./catalogue-values.ts";
import { apis, inferenceOperations, modelTypes } from "./inference-operations.ts";
import { quantizations } from "./preferences.ts";
import { PriceEntry } from "./price-entry.ts";

/** A claim as stored: its value and where it comes from. */
export interface FactEntry<T> {
  value: T | null;
  source: string | null;
  as_of: string | null;
  expires_at: string | null;
  confidence: "high" | "medium" | "low" | "none";
}

const evidence = {
  source: text.nullable().default("operator"),
  as_of: day.nullable().default(null),
  expires_at: day.nullable().default(null),
  confidence: confidence.default("high"),
};

const bare = <T>(value: T | null): FactEntry<T> => ({
  value,
  source: value === null ? null : "operator",
  as_of: null,
  expires_at: null,
  confidence: value === null ? "none" : "high",
});

const factError = (wanted: string) =>
  `must be ${wanted}, null when unknown, or an object with value, source, as_of, expires_at, confidence`;

/** A fact is written out with its evidence, or as a bare value, which then stands on the operator's word. */
const booleanFact = z
  .union([flag.nullable().transform(bare), strict({ value: flag.nullable(), ...evidence })], {
    error: factError("true or false"),
  })
  .default(bare<boolean>(null));
const daysFact = z
  .union([days.nullable().transform(bare), strict({ value: days.nullable(), ...evidence })], {
    error: factError("a whole number of days"),
  })
  .default(bare<number>(null));

const textFact = z
  .union([text.nullable().transform(bare), strict({ value: text.nullable(), ...evidence })], {
    error: factError("a text"),
  })
  .default(bare<string>(null));

const countriesFact = z
  .union(
    [
      z.array(country).nullable().transform(bare),
      strict({ value: z.array(country).nullable(), ...evidence }),
    ],
    { error: factError("a list of country codes") },
  )
  .default(bare<string[]>(null));

const apiList = z.array(oneOf(apis), { error: `must be a list of ${apis.join(", ")}` }).min(1);
const regionGroups = z.array(oneOf(["EU", "EU_ADEQUATE", "US", "REGIONAL", "GLOBAL"]));
/** `{sandbox_origin}` stands for the address of the running sandbox. */
const address = z
  .string({ error: "must be an address in quotes" })
  .regex(/^(https?:\/\/|\{sandbox_origin\})\S+$/, "must start with http:// or https://")
  .refine(isAddress, notAnAddress)
  .transform((given) => given.replace(/\/+$/, ""));
const optionalUrl = url.nullable().default(null);

/** Facts that may be known from memory alone; what was not checked is not shown. */
export const uncheckable = [
  "privacy_policy_url",
  "terms_of_service_url",
  "status_page_url",
  "data_policy_url",
  "dpa_url",
  "icon_url",
] as const;

export const ProviderEntry = strict({
  slug,
  name: text,
  description: text.nullable().default(null),
  /** How it is spoken to; which kinds there are the server knows, and refuses others when it starts. */
  kind: slug.default("openai-compatible"),
  /** What its API does with the fields of a request; by default that of its kind. Unknown names are refused at start. */
  dialect: slug.optional(),
  /** May hold `{parts}` the operator has to fill in; then the provider cannot be used yet. */
  base_url: address.nullable(),
  auth: oneOf([
    "bearer",
    "bearer-optional",
    "none",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "sigv4",
    "oauth2",
  ]).default("bearer"),
  enabled: flag.default(true),
  free: flag.default(false),
  apis: apiList.default(apis.filter((api) => inferenceOperations[api].offeredByDefault)),
  /** The field of a chat request in which it takes the limit of the answer's length. */
  token_limit_field: oneOf(["max_tokens", "max_completion_tokens"]).default("max_tokens"),
  /** Without such a limit it refuses requests, or gives answers far shorter than its models can. */
  token_limit_required: flag.default(false),
  /** Members of a chat message it takes, where it refuses all others; null: it ignores what it does not know. */
  message_fields: z.array(text, { error: "must be a list of names" }).min(1).nullable().default(null),
  headquarters: country.nullable().default(null),
  /** Whom the contract is with, such as `Mistral AI SAS`. */
  legal_entity: textFact,
  eu_owned: booleanFact,
  dpf_certified: flag.default(false),
  byok_supported: flag.default(true),
  region: text.nullable().default(null),
  /** What is known of where it runs, in words; the reason where no region can be named. */
  region_note: text.nullable().default(null),
  /** Operated by whom it serves, so its operator knows its data policy. */
  self_hosted: flag.default(false),
  /** Known from memory and not checked. */
  unverified: z.array(oneOf(uncheckable)).default([]),
  datacenters: z.array(country).nullable().default(null),
  region_groups: regionGroups.default([]),
  place_expires_at: day.nullable().default(null),
  /** Where stored data is located; it may differ from where inference runs. */
  storage_countries: countriesFact,
  can_publish: flag.nullable().default(null),
  requires_user_ids: flag.default(false),
  training: booleanFact,
  retains_prompts: flag.nullable().default(null),
  retention_days: daysFact,
  conditional_retention_days: days.nullable().default(null),
  icon_url: optionalUrl,
  privacy_policy_url: optionalUrl,
  terms_of_service_url: optionalUrl,
  status_page_url: optionalUrl,
  data_policy_url: optionalUrl,
  dpa_url: optionalUrl,
});
export type ProviderEntry = z.infer<typeof ProviderEntry>;

export const ModelEntry = strict({
  id: modelId,
  name: text.optional(),
  aliases: z.array(text).max(20, "may have 20 at most").default([]),
  type: oneOf(modelTypes).default("chat"),
  description: text.nullable().default(null),
  context_length: tokens.nullable().default(null),
  max_output_tokens: tokens.nullable().default(null),
  /** Without it the model takes text only, so requests with other content are refused. */
  input_modalities: z.array(text).min(1).optional(),
  /** Without it the model gives what its type gives: text, embeddings or scores. */
  output_modalities: z.array(text).min(1).optional(),
  supported_parameters: z.array(text).optional(),
  open_weights: flag.nullable().default(null),
  embedding_dimensions: z.int().positive().nullable().default(null),
  /** Since this day its use is discouraged; it may be in the future. */
  deprecation_date: exactDay.nullable().default(null),
  /** From this day on providers may refuse it. */
  expiration_date: exactDay.nullable().default(null),
  /** ID of the model to use instead. Without one of the two dates it is not shown. */
  successor: modelId.nullable().default(null),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

/** What is left out here comes from the provider or the model; an explicit null stays null. */
export const EndpointEntry = strict({
  provider: slug,
  variant: slug.optional(),
  model: modelId,
  upstream_model: text.optional(),
  base_url: address.optional(),
  apis: apiList.optional(),
  enabled: flag.default(true),
  status: oneOf(["active", "preview", "deprecated"]).default("active"),
  price: PriceEntry.nullable().default(null),
  quantization: oneOf(quantizations).default("unknown"),
  context_length: tokens.nullable().optional(),
  max_output_tokens: tokens.nullable().optional(),
  supported_parameters: z.array(text).optional(),
  countries: z.array(country).optional(),
  region_groups: regionGroups.optional(),
  /** After this day nobody knows where inference runs. */
  place_expires_at: day.nullable().optional(),
  training: booleanFact.unwrap().optional(),
  retention_days: daysFact.unwrap().optional(),
  conditional_retention_days: days.nullable().optional(),
  source: text.nullable().default("operator"),
  as_of: day.nullable().default(null),
  confidence: confidence.default("high"),
  note: text.optional(),
});
export type EndpointEntry = z.infer<typeof EndpointEntry>;

const RateEntry = strict({
  pair: z.literal("EUR/USD", { error: 'must be "EUR/USD"' }),
  rate: decimal.refine((rate) => Number(rate) > 0, { error: "must be more than 0" }),
  date: day,
  source: text,
});
/** What a short name in `source` stands for; `url` is null for what has no address to open. */
const SourceEntry = strict({ title: text, url: url.nullable(), as_of: day, kind: text });
export type SourceEntry = z.infer<typeof SourceEntry>;

const section = <Entry extends z.ZodType>(entry: Entry) => z.array(entry, { error: "must be a list" });

const sections = {
  as_of: day,
  sources: z.record(z.string(), SourceEntry, { error: "must be an object with the sources by name" }),
  exchange_rates: section(RateEntry).min(1),
  providers: section(ProviderEntry),
  models: section(ModelEntry),
  endpoints: section(EndpointEntry),
};
const schema = z.literal("portolan-catalogue/1", { error: 'must be "portolan-catalogue/1"' });

/** The shipped catalogue: every section is there. */
export const CatalogueFile = strict({ schema, ...sections });
export type CatalogueFile = z.infer<typeof CatalogueFile>;

/** A file laid over it (`CATALOG_FILE`): entries add to or replace, whole, those of the same name. */
export const CatalogueOverlay = strict({
  schema,
  as_of: sections.as_of.optional(),
  sources: sections.sources.default({}),
  exchange_rates: section(RateEntry).default([]),
  providers: sections.providers.default([]),
  models: sections.models.default([]),
  endpoints: sections.endpoints.default([]),
});
export type CatalogueOverlay = z.infer<typeof CatalogueOverlay>;
