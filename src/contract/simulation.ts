import { z } from "zod";
import { Uuid } from "./common.ts";
import { RoutingRuleCreate } from "./routing-rule.ts";

export const daysMax = 90;

export const SimulationRequest = z.strictObject({
  rule: RoutingRuleCreate.describe(
    "Rule to simulate, as it would be created. With `enabled: false` it has no effect.",
  ),
  rule_id: Uuid.nullish().describe("ID of an existing rule that the simulated rule replaces."),
  days: z
    .number()
    .int("must be a whole number of days")
    .min(1, "must be 1 to 90 days")
    .max(daysMax, "must be 1 to 90 days")
    .default(7)
    .describe("Number of past days whose generations are evaluated, 1 to 90."),
});
export type SimulationRequest = z.infer<typeof SimulationRequest>;

/** Exact decimal text. */
const Eur = z.string();
const Count = z.number().int();

const sums = {
  considered: Count.describe("Number of recorded generations evaluated."),
  refused: Count.describe("Number of generations that only the simulated rule would refuse."),
  moved_count: Count.describe("Number of generations that would run on another endpoint."),
  cost_eur_before: Eur.describe("Cost under the current rules in euros, as a decimal string."),
  cost_eur_after: Eur.describe(
    "Cost with the simulated rule in euros, as a decimal string; refused generations cost nothing.",
  ),
  cost_eur_change: Eur.describe(
    "Difference between the two costs in euros, as a decimal string; negative for savings.",
  ),
};

const Stop = z
  .object({
    provider: z.string().describe("Slug of the provider."),
    place: z
      .string()
      .describe("Country codes joined by `+`, region groups if no country is named, or `unknown`."),
  })
  .nullable();

/**
 * What a draft would have made of recorded generations. "Before" is what the rules of today make of them: the
 * endpoint that served, as long as they still admit it. A refused generation costs nothing after.
 */
export const SimulationResult = z
  .object({
    since: z.iso.datetime().describe("Start of the period; generations since then were evaluated."),
    ...sums,
    unchanged: Count.describe("Number of generations that would run on the same endpoint."),
    refused_already: Count.describe("Number of generations that the current rules refuse already."),
    truncated: z
      .boolean()
      .describe(
        "True if there were more than 50,000 generations; only the newest 50,000 were evaluated then.",
      ),
    moved: z
      .array(
        z.object({
          from: z.string().describe("Slug of the provider under the current rules."),
          to: z.string().describe("Slug of the provider with the simulated rule."),
          count: Count.describe("Number of generations that would move this way."),
        }),
      )
      .describe("Moves to other endpoints, counted by provider, most frequent first."),
    flows: z
      .array(
        z.object({
          before: Stop.describe("Where they run under the current rules; null if these refuse them."),
          after: Stop.describe("Where they would run; null if they would be refused."),
          count: Count.describe("Number of generations."),
        }),
      )
      .describe("All generations by where they run and would run, the most frequent first, at most 200."),
    residency: z
      .object({
        before: z.record(z.string(), Count).describe("Numbers of generations under the current rules."),
        after: z.record(z.string(), Count).describe("Numbers of generations with the simulated rule."),
      })
      .describe(
        "Where generations run. Keys are country codes joined by `+`, region groups if no country is named, or `unknown`.",
      ),
    by_model: z
      .array(z.object({ model: z.string().describe("ID of the model."), ...sums }))
      .describe("The same figures for each model."),
  })
  .meta({ id: "SimulationResult" });
export type SimulationResult = z.infer<typeof SimulationResult>;
