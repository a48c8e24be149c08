import { z } from "zod";
import { Uuid } from "./common.ts";
import { ExplainedRule } from "./explanation.ts";

const Count = z.number().int();

const RefusalReason = z.object({
  set_by: z.string().describe("Who set the requirements, in words."),
  rule_id: Uuid.nullable().describe("ID of the routing rule that set them; null if none did."),
  rule: ExplainedRule.nullable().describe(
    "The routing rule as it is now; null if no rule set them, or if it was deleted or you may not see it.",
  ),
  changed_since: z
    .boolean()
    .nullable()
    .describe("Whether the rule was changed after the latest of these requests; null without `rule`."),
  requirements: z
    .array(z.string())
    .describe("What the excluded endpoints do not meet, in a few words, the most frequent first."),
  excluded: Count.describe("Number of endpoints that these requirements exclude."),
  alone: Count.describe("Number of those that nothing else excludes."),
});

/** Why similar requests were refused, by who set the requirements. */
export const RefusalExplanation = z
  .object({
    refused_request_id: Uuid.describe("ID of the entry."),
    summary: z.string().describe("What decided, in one or two sentences."),
    endpoints: Count.describe("Number of endpoints that were excluded, at most 50."),
    reasons: z
      .array(RefusalReason)
      .describe(
        "Who set the requirements, first those whose change alone would admit the most endpoints. Empty if the requests " +
          "were refused for another reason.",
      ),
  })
  .meta({ id: "RefusalExplanation" });
export type RefusalExplanation = z.infer<typeof RefusalExplanation>;
