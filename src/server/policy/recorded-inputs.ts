import { z } from "zod";
import { apis } from "#contract/inference-operations.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import { RuleScope } from "#contract/routing-rule.ts";

const Texts = z.array(z.string()).readonly();
const Api = z.enum(apis);
const Fields = z.object({ supported: Texts, unsupported: Texts });

/** What routing reads of an endpoint, beside its facts. Prices are in pico-units of their currency. */
const EndpointInput = z.object({
  id: z.string(),
  tag: z.string(),
  /** Hash of its facts, which are stored as `endpoint_facts`. */
  facts: z.string(),
  enabled: z.boolean(),
  provider_enabled: z.boolean(),
  credential_name: z.string(),
  auth: z.string(),
  has_base_url: z.boolean(),
  can_publish: z.boolean().nullable(),
  apis: z.array(Api).readonly(),
  price: z
    .object({
      currency: z.enum(["USD", "EUR"]),
      input: z.string(),
      output: z.string(),
      request: z.string(),
      search_unit: z.string().nullable(),
    })
    .nullable(),
  quantization: z.string(),
  context_length: z.number().nullable(),
  max_output_tokens: z.number().nullable(),
  supported_parameters: Texts,
  chat_fields: Fields,
  responses_fields: Fields,
});
export type EndpointInput = z.infer<typeof EndpointInput>;

export const ModelInput = z.object({
  id: z.string(),
  aliases: Texts,
  input_modalities: Texts,
  output_modalities: Texts,
  assumed_modalities: z.array(z.enum(["input_modalities", "output_modalities"])).readonly(),
  endpoints: z.array(EndpointInput).readonly(),
});
export type ModelInput = z.infer<typeof ModelInput>;

export const RuleInput = z.object({
  id: z.string(),
  name: z.string(),
  scope: RuleScope,
  owner_id: z.string(),
  workspace_id: z.string().nullable(),
  models: Texts,
  preferences: ProviderPreferences,
  enabled: z.boolean(),
  auto_apply: z.boolean(),
  updated_at_ms: z.number(),
});
export type RuleInput = z.infer<typeof RuleInput>;

/** What a decision was made from. Refers to models and rules by the hashes of their documents. */
export const RoutingInput = z.object({
  version: z.int(),
  apis: z.array(Api).readonly(),
  parameters: Texts,
  size: z.object({ prompt_tokens: z.number(), max_tokens: z.number().nullable() }).nullable(),
  default_residency: z.string().nullable(),
  adequacy_exclude: Texts,
  models: z.array(z.object({ model: z.string(), usable: Texts, unreadable: Texts })).readonly(),
  rules: Texts,
});
export type RoutingInput = z.infer<typeof RoutingInput>;
