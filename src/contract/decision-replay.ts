import { z } from "zod";
import { Uuid } from "./common.ts";
import { DryRunResult } from "./routing-rule.ts";

const Results = DryRunResult.shape.results;
const hash = (what: string) =>
  z.string().nullable().describe(`SHA-256 of ${what}, in hexadecimal digits; null if there is none.`);

const RecordedReplay = z.object({
  outcome: z
    .enum(["identical", "different", "not_replayable"])
    .describe(
      "`identical`: the same endpoints were admitted, and the others excluded for the same reasons. `different`: the " +
        "record does not follow from what it was made from. `not_replayable`: the reason is in `message`.",
    ),
  message: z.string().describe("The outcome in words."),
  routing_version: z
    .number()
    .int()
    .nullable()
    .describe("Version of routing that made the decision; null if it was not recorded."),
  decision_hash: hash("the recorded decision, as the receipt of the request has it"),
  replayed_hash: hash("the decision that was made again"),
  results: Results.describe(
    "The decision that was made again, with every reason: for each model the endpoints that may serve it, in the recorded " +
      "order, and those that were excluded. Empty if it cannot be made again.",
  ),
});

const TodaysDecision = z.object({
  is_served: z.boolean().describe("Whether an endpoint may serve the request today."),
  endpoint: z.string().nullable().describe("ID of the endpoint that would be tried first; null without one."),
  provider: z.string().nullable().describe("Slug of its provider; null without one."),
  is_same_endpoint: z
    .boolean()
    .nullable()
    .describe("Whether that is the endpoint that served the request; null if none served it, or none would."),
  message: z.string().nullable().describe("Why no endpoint may serve it; null if one may."),
  results: Results.describe("Where it would go, and why not elsewhere, for each model."),
});

/** A recorded decision made again, and the same request under the rules of today. */
export const DecisionReplay = z
  .object({
    generation_id: Uuid.describe("ID of the request."),
    recorded: RecordedReplay.describe(
      "The decision made again from what was recorded with it: rules, facts, prices and credentials of that time. The " +
        "order of endpoints depended on measurements and chance, and is taken from the record.",
    ),
    today: TodaysDecision.describe(
      "The same request under the rules, facts and prices of today. The endpoint that served it comes first if it is " +
        "admitted and nothing else decides. Budgets, credit and the state of the key are not considered.",
    ),
  })
  .meta({ id: "DecisionReplay" });
export type DecisionReplay = z.infer<typeof DecisionReplay>;
