import { z } from "zod";

const link = (document: string) =>
  z.string().nullable().describe(`URL of the provider's ${document}; null if unknown.`);

const DataPolicy = z.looseObject({
  training: z
    .boolean()
    .nullable()
    .describe("Whether the provider trains models on prompts; null if unknown."),
  retains_prompts: z.boolean().nullable().describe("Whether the provider stores prompts; null if unknown."),
  retention_days: z
    .int()
    .nullable()
    .describe("Days for which prompts are usually stored, 0 if they are not; null if unknown."),
  conditional_retention_days: z
    .int()
    .nullable()
    .describe(
      "Days for which prompts are stored in special cases only, such as errors or suspected abuse; null if unknown.",
    ),
  storage_countries: z
    .array(z.string())
    .nullable()
    .describe("ISO 3166-1 alpha-2 codes of the countries where data is stored; null if unknown."),
  zdr: z.boolean().describe("Whether the provider is known not to store prompts (zero data retention)."),
  can_publish: z.boolean().nullable().describe("Whether the provider may publish prompts; null if unknown."),
  requires_user_ids: z.boolean().describe("Whether the provider requires an identifier of the end user."),
  terms_of_service_url: link("terms of service"),
  privacy_policy_url: link("privacy policy"),
  data_policy_url: link("data policy"),
  dpa_url: link("data processing agreement"),
  dpf_certified: z
    .boolean()
    .describe("Whether the provider is certified under the EU-US Data Privacy Framework."),
  verified_at: z
    .string()
    .nullable()
    .describe("Date on which `training` was checked, such as `2026-11-20`; null if unknown."),
  source: z
    .string()
    .nullable()
    .describe("Titles and addresses of the sources for `training`; null if there is none."),
  confidence: z
    .enum(["high", "medium", "low", "none"])
    .describe("How reliable `training` is; `none` if it is unknown."),
});

/** One provider as `GET /providers` shows it. */
export const Provider = z
  .object({
    id: z.uuid().describe("Unique ID of the provider, the same in every installation."),
    slug: z.string().describe("Identifier of the provider, as used in `only`, `order` and `ignore`."),
    name: z.string().describe("Display name of the provider."),
    description: z.string().nullable().describe("Short description of the provider; null if there is none."),
    enabled: z.boolean().describe("Whether requests may be routed to the provider."),
    model_count: z.int().min(0).describe("Number of models with an enabled endpoint at the provider."),
    region: z
      .string()
      .nullable()
      .describe("Where inference runs: an ISO 3166-1 alpha-2 country code, or `EU`; null if unknown."),
    region_note: z
      .string()
      .nullable()
      .describe("Explanation of where inference runs, or why it is unknown; null if there is none."),
    headquarters: z
      .string()
      .nullable()
      .describe("ISO 3166-1 alpha-2 code of the country of the headquarters; null if unknown."),
    legal_entity: z.string().nullable().describe("Legal entity that the contract is with; null if unknown."),
    datacenters: z
      .array(z.string())
      .nullable()
      .describe("ISO 3166-1 alpha-2 codes of the countries with data centers; null if unknown."),
    eu_owned: z
      .boolean()
      .nullable()
      .describe("Whether the provider is owned by a company of the European Union; null if unknown."),
    byok: z
      .object({
        supported: z.boolean().describe("Whether organisations can add a credential of their own."),
      })
      .describe("Use of an organisation's own provider credential."),
    icon_url: link("icon"),
    privacy_policy_url: link("privacy policy"),
    terms_of_service_url: link("terms of service"),
    status_page_url: link("status page"),
    data_policy: DataPolicy.describe(
      "What the provider does with prompts. Routing treats facts that are null as the worst case.",
    ),
    unknown: z
      .record(z.string(), z.string())
      .describe("Reason why a field here or in `data_policy` is null, keyed by the field's name."),
  })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof Provider>;

/** The answer of `GET /providers`. */
export const ProviderList = z
  .object({ data: z.array(Provider).describe("All providers, sorted by name.") })
  .meta({ id: "ProviderList" });
export type ProviderList = z.infer<typeof ProviderList>;
