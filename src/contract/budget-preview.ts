import { z } from "zod";
import { Timestamp } from "./common.ts";

const Count = z.number().int();

const Past = z
  .object({
    since: Timestamp.describe("Start of the evaluated time; requests since then were evaluated."),
    truncated: z
      .boolean()
      .describe(
        "True if there were more than 100,000 requests; only the newest 100,000 were evaluated then.",
      ),
    requests: Count.describe("Number of recorded requests that the budget would have counted."),
    stopped: Count.describe("Number of these that came after the limit was used up."),
    exhausted: Count.describe("How often a limit would have been used up, counted per period and values."),
    highest: z
      .number()
      .describe("Highest use in one period by one combination of values, without the limit."),
  })
  .meta({ id: "BudgetPast" });

/** What a budget would do that is not stored. */
export const BudgetPreview = z
  .object({
    refusal: z
      .object({
        status: Count.describe("HTTP status."),
        code: z.string().describe("Code of the error."),
        message: z.string().describe("Message of the error, with example figures."),
        headers: z.record(z.string(), z.string()).describe("Headers of the answer besides the usual ones."),
      })
      .describe("What a refused client receives."),
    past: Past.nullable().describe(
      "What the budget would have done in the last 30 days; null for parallel requests, and for keys of `metadata` " +
        "that are no tags of the organisation, because they are not recorded.",
    ),
  })
  .meta({ id: "BudgetPreview" });
export type BudgetPreview = z.infer<typeof BudgetPreview>;
