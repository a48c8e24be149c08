import { z } from "zod";

const Country = z.object({
  code: z.string().describe("ISO 3166-1 alpha-2 country code."),
  name: z.string().describe("English name of the country."),
});
const AdequateCountry = Country.extend({
  decision: z.string().describe("Number of the European Commission's adequacy decision."),
  note: z.string().optional().describe("Limits of the decision; absent if there are none."),
  enabled: z
    .boolean()
    .describe("Whether `eu_adequate` includes the country; an installation can switch countries off."),
});

export const EuResidency = z
  .object({
    as_of: z.string().describe("Date on which the lists were checked, such as `2026-11-20`."),
    eu_countries: z.array(Country).describe("Member states of the European Union, which `eu` stands for."),
    eea_countries: z
      .array(Country)
      .describe("Countries that `eea` includes in addition to the member states of the European Union."),
    eu_adequate_countries: z
      .array(AdequateCountry)
      .describe("Countries with an adequacy decision, which `eu_adequate` includes in addition to the EEA."),
  })
  .meta({ id: "EuResidency" });
export type EuResidency = z.infer<typeof EuResidency>;
