import { z } from "zod";
import { AnyJson, LongText, recordOf } from "./bounded.ts";
import { Uuid } from "./common.ts";
import { list } from "./list.ts";
import { ProviderPreferences } from "./preferences.ts";
import { PresetReference } from "./preset-reference.ts";
import { Reasoning } from "./reasoning.ts";
import { sampling } from "./sampling.ts";
import { bodyBytesMax } from "./sizes.ts";
import { promptsIn, textsMax, textsOrTokens } from "./texts-or-tokens.ts";
import { unsupportedFields } from "./unsupported-fields.ts";
import { CompletionUsage } from "./usage.ts";

export const ModelName = z.string().min(1).max(200);

/** What a client wants to find its request by. */
export const Metadata = recordOf(z.string().max(512, "may have 512 characters at most"), {
  max: 16,
  keyCharsMax: 64,
});

/** Fields every inference request may carry besides its own. */
export const RoutedRequest = z.object({
  model: ModelName.optional().describe(
    "ID or alias of the model, optionally with the suffix `:nitro`, `:floor` or `:free`. Required unless `models`, a preset or a routing rule names one. `@preset/name` uses a preset.",
  ),
  models: list(ModelName)
    .min(1)
    .max(20)
    .nullish()
    .describe("Models to try in this order, after `model` if that is given too; 1 to 20."),
  preset: PresetReference.nullish().describe(
    "Preset that sets what the request leaves out: its name, or `name@3` for a fixed version. The model `@preset/name` means the same.",
  ),
  provider: ProviderPreferences.nullish().describe(
    "Provider preferences of this request. Requirements can narrow those of routing rules but never relax them.",
  ),
  rule_id: Uuid.nullish().describe(
    "ID of a routing rule to apply in addition to the rules that apply automatically.",
  ),
  rule_name: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe(
      "Name of a routing rule to apply in addition to the rules that apply automatically; ignored when `rule_id` is given.",
    ),
  user: z
    .string()
    .max(256)
    .nullish()
    .describe(
      "Identifier of your end user. Recorded with the generation and passed to providers that accept it.",
    ),
  session_id: z
    .string()
    .max(256)
    .nullish()
    .describe(
      "Identifier of a session, at most 256 characters. Requests of a session prefer the endpoint that served it before; the header `x-session-id` has the same effect.",
    ),
  trace: recordOf(AnyJson, { max: 100 })
    .nullish()
    .describe(
      "Data for traces sent to broadcast destinations. `trace_id`, `parent_span_id`, `trace_name`, `span_name` and `generation_name` set the trace's identifiers and names; other keys become its metadata.",
    ),
  metadata: Metadata.nullish().describe(
    "Up to 16 key-value pairs, keys of at most 64 and values of at most 512 characters. Added to traces sent to broadcast destinations and not passed to the provider.",
  ),
});
export type RoutedRequest = z.infer<typeof RoutedRequest>;

export const CompletionRequest = RoutedRequest.extend({
  prompt: textsOrTokens({
    charsMin: 0,
    charsMax: bodyBytesMax.prompt,
    what: `a text, tokens, or 1 to ${textsMax} of either`,
  }).describe(
    "Text or token IDs to complete, or a list of up to 2,048 of either, each completed separately.",
  ),
  stream: z.boolean().nullish().describe("Whether to return the answer as server-sent events."),
  stream_options: z
    .looseObject({
      include_usage: z
        .boolean()
        .nullish()
        .describe(
          "Accepted for compatibility without effect: a stream always ends with a chunk that carries `usage`.",
        ),
    })
    .nullish()
    .describe("Options for streaming."),
  max_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of tokens to generate for each completion."),
  ...sampling,
  logprobs: z
    .number()
    .int()
    .min(0)
    .max(5)
    .nullish()
    .describe(
      "Number of most likely tokens to return log probabilities for, 0 to 5. Needs a provider with a completions operation.",
    ),
  n: z
    .number()
    .int()
    .min(1)
    .max(128)
    .nullish()
    .describe("Number of completions for each prompt, 1 to 128; at most 2,048 over all prompts."),
  best_of: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe(
      "Number of completions to generate for each prompt, of which the provider returns the best; 0 to 20. Cannot be streamed when greater than 1, and needs a provider with a completions operation.",
    ),
  echo: z
    .boolean()
    .nullish()
    .describe(
      "Whether to return the prompt in front of the completion. Needs a provider with a completions operation.",
    ),
  suffix: LongText.nullish().describe(
    "Text that follows the completion. Needs a provider with a completions operation.",
  ),
  reasoning: Reasoning.nullish().describe(
    "Reasoning settings, used where the model is reached through chat.",
  ),
  include_reasoning: z
    .boolean()
    .nullish()
    .describe("Older name of `reasoning.exclude`, with the opposite meaning."),
  ...unsupportedFields,
})
  .loose()
  .refine(({ prompt, n, best_of: best }) => promptsIn(prompt) * Math.max(n ?? 1, best ?? 1) <= textsMax, {
    path: ["n"],
    error: `may ask for ${textsMax} answers at most, over all prompts`,
  })
  .meta({ id: "CompletionRequest" });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export const FinishReason = z.enum(["stop", "length", "content_filter", "error"]);
export type FinishReason = z.infer<typeof FinishReason>;

export const CompletionChoice = z.looseObject({
  text: z.string().describe("Generated text."),
  index: z
    .number()
    .int()
    .describe(
      "Position of the completion, from 0; with several prompts, those of the first prompt come first.",
    ),
  finish_reason: FinishReason.nullable().describe(
    "Why generation ended; null when the provider gave no reason.",
  ),
  native_finish_reason: z
    .string()
    .nullable()
    .describe("The provider's own value for why generation ended; null when it gave none."),
  reasoning: z.string().nullable().describe("Reasoning of the model as text; null when there is none."),
  logprobs: z
    .object({
      tokens: z.array(z.string()).describe("Generated tokens as text."),
      token_logprobs: z
        .array(z.number().nullable())
        .describe("Log probability of each token; null where it is unknown."),
      top_logprobs: z
        .array(z.record(z.string(), z.number()).nullable())
        .nullable()
        .describe(
          "Most likely tokens at each position with their log probabilities; null when not returned.",
        ),
      text_offset: z.array(z.number().int()).describe("Position of each token in the text, in characters."),
    })
    .nullable()
    .describe("Log probabilities of the tokens; null unless they were requested and returned."),
});
export type CompletionChoice = z.infer<typeof CompletionChoice>;

export const Completion = z
  .looseObject({
    id: z.string().describe("ID of the completion: `cmpl-` and the ID of the generation."),
    object: z.literal("text_completion").describe("Always `text_completion`."),
    created: z.number().int().describe("Time the request was received, in Unix seconds."),
    model: z.string().describe("ID of the model that served the request."),
    provider: z.string().describe("Name of the provider that served the request."),
    system_fingerprint: z
      .string()
      .nullable()
      .describe("The provider's identifier of the backend configuration; null when it gave none."),
    service_tier: z
      .string()
      .optional()
      .describe("Service tier that the provider used; left out when it names none."),
    choices: z.array(CompletionChoice).describe("Completions, by `index`."),
    usage: CompletionUsage,
  })
  .meta({ id: "Completion" });
export type Completion = z.infer<typeof Completion>;
