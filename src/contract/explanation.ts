import { z } from "zod";
import { Timestamp, Uuid } from "./common.ts";
import { EndpointWords } from "./endpoint-words.ts";
import { RuleScope } from "./routing-rule.ts";

const Candidate = z.object({
  endpoint: z.string().describe("ID of the endpoint."),
  provider: z.string().describe("Slug of the provider."),
  place: EndpointWords.shape.place
    .nullable()
    .describe("Where it ran models, in words; null if the facts of that time are not recorded."),
  retention: EndpointWords.shape.retention
    .nullable()
    .describe("How long it stored prompts, in words; null if the facts of that time are not recorded."),
  price: EndpointWords.shape.price.describe(
    "Its price at that time; null without one, or if it is not recorded.",
  ),
  rank: z
    .number()
    .int()
    .nullable()
    .describe("Its position in the order in which endpoints were tried, from 1; null if it was excluded."),
  role: z
    .enum(["served", "partly_served", "tried", "not_tried", "excluded"])
    .describe(
      "What became of it: `served`, `partly_served`, `tried` without success, `not_tried` or `excluded`.",
    ),
  reason_code: z
    .string()
    .nullable()
    .describe("Code of the first reason that excluded it; null if it was admitted."),
  reason: z.string().nullable().describe("That reason in words; null if it was admitted."),
  set_by: z.string().nullable().describe("Who set the requirement, in words; null if it was admitted."),
});
export type Candidate = z.infer<typeof Candidate>;

export const ExplainedRule = z.object({
  id: z.string().describe("ID of the rule."),
  name: z.string().nullable().describe("Its name; null if you may not see it, or if it was deleted."),
  scope: RuleScope.nullable().describe("What it applied to; null if that is not recorded."),
  requirements: z.array(z.string()).describe("What it asked for, in words."),
  changed_at: Timestamp.nullable().describe("Since when it asked for this; null if that is not recorded."),
  changed_by: z.string().nullable().describe("Name of the person who set it; null if unknown."),
});

export type ExplainedRule = z.infer<typeof ExplainedRule>;

/** Why a request went where it went, in words. */
export const Explanation = z
  .object({
    generation_id: Uuid.describe("ID of the request."),
    summary: z.string().describe("The outcome and its main reason, in one or two sentences."),
    model_requested: z.string().describe("Model as it was requested."),
    rules: z.array(ExplainedRule).describe("The rules that applied, the widest first."),
    rule_count: z
      .number()
      .int()
      .describe("Number of rules that applied; `rules` has the narrowest 20 of them."),
    requirements: z
      .array(z.string())
      .describe("What the rules and the request asked for together, in words."),
    models: z
      .array(
        z.object({
          model: z.string().describe("ID of the model."),
          order: z.string().describe("How its endpoints were ordered, in words."),
          candidates: z
            .array(Candidate)
            .describe(
              "Every endpoint of the model: those that were admitted in their order, then the others.",
            ),
        }),
      )
      .describe("The models that were considered, in order. Empty if the request was refused before."),
    attempts: z
      .array(
        z.object({
          endpoint: z.string().describe("ID of the endpoint."),
          text: z.string().describe("What it did, in words."),
          duration_ms: z.number().describe("Duration in milliseconds."),
          succeeded: z.boolean().describe("Whether it ended as the client wanted."),
        }),
      )
      .describe("What was tried, one after the other."),
    parameters: z.array(z.string()).describe("What was changed in the request before it was sent, in words."),
    cost: z.string().describe("What was charged and for what, in words."),
    has_facts: z
      .boolean()
      .describe(
        "Whether facts, prices and full reasons of that time are in the answer. They are missing for requests of earlier versions.",
      ),
  })
  .meta({ id: "Explanation" });
export type Explanation = z.infer<typeof Explanation>;
