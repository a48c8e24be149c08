import { z } from "zod";
import { CatalogueLayer } from "./catalogue-entry.ts";
import { Citation } from "./catalogue-view.ts";

const Evidence = z.object({
  sources: z.array(Citation).readonly().describe("Where it was read."),
  as_of: z.string().nullable().describe("Date on which it was read, such as `2026-11-20`; null if unknown."),
  expires_at: z
    .string()
    .nullable()
    .describe("Date after which it counts as unknown; null if it does not expire."),
});
const Confidence = z.enum(["high", "medium", "low", "none"]).describe("How certain it is.");

const fact = <T extends z.ZodType>(value: T) =>
  Evidence.extend({
    value: value.nullable().describe("The value; null if unknown."),
    confidence: Confidence,
  });

const layer = (what: string) =>
  CatalogueLayer.describe(
    `Layer of the catalogue that describes the ${what}: shipped, file, installation or organisation.`,
  );

const ProviderFacts = z.object({
  slug: z.string().describe("Slug of the provider."),
  name: z.string().describe("Name of the provider."),
  layer: layer("provider"),
  headquarters: z
    .string()
    .nullable()
    .describe("Country of its headquarters (ISO 3166-1 alpha-2); null if unknown."),
  legal_entity: fact(z.string())
    .describe("Legal entity that the contract is with. Left out in records of versions before this.")
    .optional(),
  self_hosted: z.boolean().describe("Whether the organisation runs it itself."),
  eu_owned: fact(z.boolean()).describe("Whether its owners are in the EU."),
  storage_countries: fact(z.array(z.string().describe("Country.")).readonly()).describe(
    "Countries in which it stores data.",
  ),
  dpf_certified: z.boolean().describe("Whether it is certified under the EU-US Data Privacy Framework."),
  conditional_retention_days: z
    .number()
    .nullable()
    .describe(
      "Days that it stores requests under conditions, such as suspected abuse; null if unknown or never.",
    ),
  unverified: z
    .array(z.string().describe("Name of a fact."))
    .readonly()
    .describe("Facts that nobody has verified."),
  dpa_url: z.string().nullable().describe("URL of its data processing agreement; null if unknown."),
  data_policy_url: z.string().nullable().describe("URL of its data policy; null if unknown."),
});

const PlaceFacts = Evidence.extend({
  countries: z
    .array(z.string().describe("Country."))
    .readonly()
    .describe("Countries in which inference runs; empty if only groups are known."),
  region_groups: z
    .array(z.string().describe("Group of countries."))
    .readonly()
    .describe("Groups of countries in which inference runs, such as `EU`."),
  confidence: Confidence,
});

const PriceFacts = Evidence.extend({
  version: z.string().describe("Version of the price."),
  currency: z.enum(["USD", "EUR"]).describe("Currency of the price."),
});

/** What was known of an endpoint when a request was routed. Its canonical JSON is in receipts of requests. */
export const EndpointFacts = z
  .object({
    endpoint: z.string().describe("The endpoint, as `provider:model`."),
    model: z.string().describe("ID of the model."),
    layer: layer("endpoint"),
    provider: ProviderFacts.describe("The provider."),
    place: PlaceFacts.describe("Where inference runs."),
    training: fact(z.boolean()).describe("Whether the provider trains models on requests."),
    retention_days: fact(z.number()).describe(
      "Days that the provider stores requests; 0 is zero data retention.",
    ),
    price: PriceFacts.nullable().describe("The price, without its amounts; null if there was none."),
  })
  .meta({ id: "EndpointFacts" });
export type EndpointFacts = z.infer<typeof EndpointFacts>;
