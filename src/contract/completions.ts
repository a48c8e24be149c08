import { z } from "zod";
import { AnyJson, LongText, recordOf } from "./bounded.ts";
import { Uuid } from "./common.ts";
import { list } from "./list.ts";
import { ProviderPreferences } from "./preferences.ts";
import { ReasoningEffort } from "./reasoning.ts";
import { sampling } from "./sampling.ts";
import { bodyBytesMax } from "./sizes.ts";
import { promptsIn, textsMax, textsOrTokens } from "./texts-or-tokens.ts";
import { CompletionUsage } from "./usage.ts";

export const ModelName = z.string().min(1).max(200);

/** What a client wants to find its request by (interface.md 8.1). */
const Metadata = recordOf(z.string().max(512, "may have 512 characters at most"), {
  max: 16,
  keyCharsMax: 64,
});

/** Fields every inference request may carry besides its own (interface.md 6.5, 9.2). */
export const RoutedRequest = z.object({
  model: ModelName.optional(),
  models: list(ModelName).min(1).max(20).nullish(),
  provider: ProviderPreferences.nullish(),
  rule_id: Uuid.nullish(),
  rule_name: z.string().min(1).max(255).nullish(),
  user: z.string().max(256).nullish(),
  session_id: z.string().max(256).nullish(),
  trace: recordOf(AnyJson, { max: 100 }).nullish(),
  metadata: Metadata.nullish(),
});
export type RoutedRequest = z.infer<typeof RoutedRequest>;

export const CompletionRequest = RoutedRequest.extend({
  prompt: textsOrTokens({
    charsMin: 0,
    charsMax: bodyBytesMax.prompt,
    what: `a text, tokens, or 1 to ${textsMax} of either`,
  }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  ...sampling,
  logprobs: z.number().int().min(0).max(5).nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  best_of: z.number().int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
  suffix: LongText.nullish(),
  /** For models that think before they answer, where they are reached by chat. */
  reasoning: z.looseObject({ effort: ReasoningEffort.nullish() }).nullish(),
  /** Known from OpenRouter; prompts are never changed here, so it has no effect. */
  transforms: list(z.string().max(64)).max(8).nullish(),
})
  .refine(({ prompt, n, best_of: best }) => promptsIn(prompt) * Math.max(n ?? 1, best ?? 1) <= textsMax, {
    path: ["n"],
    error: `may ask for ${textsMax} answers at most, over all prompts`,
  })
  .meta({ id: "CompletionRequest" });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export const FinishReason = z.enum(["stop", "length", "content_filter", "error"]);
export type FinishReason = z.infer<typeof FinishReason>;

export const CompletionChoice = z.object({
  text: z.string(),
  index: z.number().int(),
  finish_reason: FinishReason.nullable(),
  native_finish_reason: z.string().nullable(),
  reasoning: z.string().nullable(),
  logprobs: z
    .object({
      tokens: z.array(z.string()),
      token_logprobs: z.array(z.number().nullable()),
      top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullable(),
      text_offset: z.array(z.number().int()),
    })
    .nullable(),
});
export type CompletionChoice = z.infer<typeof CompletionChoice>;

export const Completion = z
  .object({
    id: z.string(),
    object: z.literal("text_completion"),
    created: z.number().int(),
    model: z.string(),
    provider: z.string(),
    system_fingerprint: z.string().nullable(),
    choices: z.array(CompletionChoice),
    usage: CompletionUsage,
  })
  .meta({ id: "Completion" });
export type Completion = z.infer<typeof Completion>;
