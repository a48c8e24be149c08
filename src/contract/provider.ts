import { z } from "zod";

/** What happens to prompts at a provider; null = no source says, and counts as the worst case. */
const DataPolicy = z.looseObject({
  training: z.boolean().nullable(),
  retains_prompts: z.boolean().nullable(),
  retention_days: z.int().nullable(),
  conditional_retention_days: z.int().nullable(),
  storage_countries: z.array(z.string()).nullable(),
  zdr: z.boolean(),
  can_publish: z.boolean().nullable(),
  requires_user_ids: z.boolean(),
  terms_of_service_url: z.string().nullable(),
  privacy_policy_url: z.string().nullable(),
  data_policy_url: z.string().nullable(),
  dpa_url: z.string().nullable(),
  dpf_certified: z.boolean(),
  verified_at: z.string().nullable(),
  source: z.string().nullable(),
  confidence: z.enum(["high", "medium", "low", "none"]),
});

/** One provider as `GET /providers` shows it (interface.md section 7). */
export const Provider = z
  .object({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    model_count: z.int().min(0),
    region: z.string().nullable().describe("ISO 3166-1 alpha-2 code or EU"),
    region_note: z.string().nullable().describe("What is known of where it runs, in words"),
    headquarters: z.string().nullable().describe("ISO 3166-1 alpha-2 code"),
    datacenters: z.array(z.string()).nullable(),
    eu_owned: z.boolean().nullable(),
    byok: z.object({ supported: z.boolean() }),
    icon_url: z.string().nullable(),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().nullable(),
    status_page_url: z.string().nullable(),
    data_policy: DataPolicy,
    unknown: z
      .record(z.string(), z.string())
      .describe("Why each fact that is null here, or in data_policy, is not known, by its name"),
  })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof Provider>;

/** The answer of `GET /providers`. */
export const ProviderList = z.object({ data: z.array(Provider) }).meta({ id: "ProviderList" });
export type ProviderList = z.infer<typeof ProviderList>;
