import { z } from "zod";
import { LongText } from "./bounded.ts";

/** How hard a model should think before it answers, from least to most. */
export const ReasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** Level of detail of a summary of the reasoning. */
export const ReasoningSummary = z.enum(["auto", "concise", "detailed"]);
export type ReasoningSummary = z.infer<typeof ReasoningSummary>;

const budgetMax = 1_000_000;

/** The object `reasoning` of chat and text completions. */
export const Reasoning = z.looseObject({
  effort: ReasoningEffort.nullish().describe(
    "How much the model should reason before it answers. Not together with `max_tokens`.",
  ),
  max_tokens: z
    .number()
    .int()
    .min(0)
    .max(budgetMax)
    .nullish()
    .describe(
      "Maximum number of tokens for reasoning, at most 1,000,000; 0 switches reasoning off. Not together with `effort`.",
    ),
  enabled: z
    .boolean()
    .nullish()
    .describe(
      "Whether the model should reason; by default as `effort` or `max_tokens` say, or as the model does.",
    ),
  exclude: z
    .boolean()
    .nullish()
    .describe("Whether to leave reasoning out of the answer. It is generated and billed all the same."),
  summary: ReasoningSummary.nullish().describe(
    "Level of detail of the reasoning summary, for providers that summarise it.",
  ),
});

/** `thinking` as Anthropic's and DeepSeek's own clients send it. */
const Thinking = z.looseObject({
  type: z
    .enum(["enabled", "disabled", "adaptive"])
    .describe("Whether the model should reason; with `adaptive` the model decides how much."),
  budget_tokens: z
    .number()
    .int()
    .min(0)
    .max(budgetMax)
    .nullish()
    .describe("Maximum number of tokens for reasoning, another name of `reasoning.max_tokens`."),
});

/** The fields of a chat request about reasoning, under the names of all its clients. */
export const reasoningSettings = {
  reasoning: Reasoning.nullish().describe("Reasoning settings, translated for each provider."),
  reasoning_effort: ReasoningEffort.nullish().describe(
    "How much the model should reason before it answers, as OpenAI names it.",
  ),
  include_reasoning: z
    .boolean()
    .nullish()
    .describe("Older name of `reasoning.exclude`, with the opposite meaning."),
  thinking: Thinking.nullish().describe("Reasoning settings as Anthropic names them."),
};

/** One piece of reasoning in an answer, which a client sends back with the message. */
export const ReasoningDetail = z.looseObject({
  type: z
    .string()
    .max(64)
    .describe("Kind of piece: `reasoning.text`, `reasoning.summary` or `reasoning.encrypted`."),
  text: LongText.nullish().describe("Text of a piece of type `reasoning.text`."),
  summary: LongText.nullish().describe("Text of a piece of type `reasoning.summary`."),
  data: LongText.nullish().describe(
    "Data of a piece of type `reasoning.encrypted`, which only its provider reads.",
  ),
  signature: LongText.nullish().describe("The provider's signature of the text."),
  id: z
    .string()
    .max(512)
    .nullish()
    .describe("ID of the piece; for the signature of a tool call, the ID of that call."),
  format: z
    .string()
    .max(64)
    .nullish()
    .describe("Who made the piece and can read it, such as `anthropic-claude-v1` or `google-gemini-v1`."),
  index: z.number().int().nullish().describe("Position of the piece; fragments of one piece have the same."),
});
