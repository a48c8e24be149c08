import { z } from "zod";
import { Uuid } from "./common.ts";
import { RoutingRuleCreate } from "./routing-rule.ts";

export const daysMax = 90;

export const SimulationRequest = z.strictObject({
  /** The draft, as it would be created. With `enabled: false` the rules are tried without it. */
  rule: RoutingRuleCreate,
  /** A rule the draft takes the place of. */
  rule_id: Uuid.nullish(),
  days: z
    .number()
    .int("must be a whole number of days")
    .min(1, "must be 1 to 90 days")
    .max(daysMax, "must be 1 to 90 days")
    .default(7),
});
export type SimulationRequest = z.infer<typeof SimulationRequest>;

/** Exact decimal text. */
const Eur = z.string();
const Count = z.number().int();

const sums = {
  considered: Count,
  refused: Count,
  moved_count: Count,
  cost_eur_before: Eur,
  cost_eur_after: Eur,
  cost_eur_change: Eur,
};

/**
 * What a draft would have made of recorded generations. "Before" is what the rules of today make of them: the
 * endpoint that served, as long as they still admit it. A refused generation costs nothing after.
 */
export const SimulationResult = z
  .object({
    since: z.iso.datetime(),
    ...sums,
    unchanged: Count,
    /** Generations the rules of today would refuse already. */
    refused_already: Count,
    /** True when there were more than 50,000; then the newest were looked at. */
    truncated: z.boolean(),
    /** Between providers, the most frequent first. */
    moved: z.array(z.object({ from: z.string(), to: z.string(), count: Count })),
    /** How many ran in each country; several countries of one endpoint are joined by `+`. */
    residency: z.object({
      before: z.record(z.string(), Count),
      after: z.record(z.string(), Count),
    }),
    by_model: z.array(z.object({ model: z.string(), ...sums })),
  })
  .meta({ id: "SimulationResult" });
export type SimulationResult = z.infer<typeof SimulationResult>;
