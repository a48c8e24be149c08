import { z } from "zod";
import { CatalogueLayer } from "./catalogue-entry.ts";
import { Citation } from "./catalogue-view.ts";

const Evidence = z.object({
  sources: z.array(Citation).readonly(),
  as_of: z.string().nullable(),
  expires_at: z.string().nullable(),
});
const Confidence = z.enum(["high", "medium", "low", "none"]);

const fact = <T extends z.ZodType>(value: T) =>
  Evidence.extend({ value: value.nullable(), confidence: Confidence });

/** What was known of an endpoint when a request was routed. Its canonical JSON is in receipts of requests. */
export const EndpointFacts = z.object({
  endpoint: z.string(),
  model: z.string(),
  layer: CatalogueLayer,
  provider: z.object({
    slug: z.string(),
    name: z.string(),
    layer: CatalogueLayer,
    headquarters: z.string().nullable(),
    self_hosted: z.boolean(),
    eu_owned: fact(z.boolean()),
    storage_countries: fact(z.array(z.string()).readonly()),
    dpf_certified: z.boolean(),
    conditional_retention_days: z.number().nullable(),
    unverified: z.array(z.string()).readonly(),
    dpa_url: z.string().nullable(),
    data_policy_url: z.string().nullable(),
  }),
  place: Evidence.extend({
    countries: z.array(z.string()).readonly(),
    region_groups: z.array(z.string()).readonly(),
    confidence: Confidence,
  }),
  training: fact(z.boolean()),
  retention_days: fact(z.number()),
  price: Evidence.extend({ version: z.string(), currency: z.enum(["USD", "EUR"]) }).nullable(),
});
export type EndpointFacts = z.infer<typeof EndpointFacts>;
