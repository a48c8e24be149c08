import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { memberOf } from "./answer-facts.ts";

const record = (value: unknown): Json => (isJson(value) ? value : {});

/** Google's tokens of audio in a list by modality. */
function googleAudio(...lists: readonly unknown[]): number {
  let tokens = 0;
  for (const list of lists)
    for (const detail of Array.isArray(list) ? list : [])
      if (isJson(detail) && detail.modality === "AUDIO") tokens += Number(detail.tokenCount ?? 0);
  return tokens;
}

/** Tokens that Bedrock wrote to a cache for an hour. */
function bedrockHour(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  let tokens = 0;
  for (const detail of details)
    if (isJson(detail) && detail.ttl === "1h") tokens += Number(detail.inputTokens ?? 0);
  return tokens;
}

interface Details {
  readonly prompt?: Json;
  readonly completion?: Json;
}

const openAiDetails = (usage: Json): Details => ({
  prompt: record(usage.prompt_tokens_details ?? usage.prompt_token_details),
  completion: record(usage.completion_tokens_details),
});

/** Parts of the tokens that packages do not name, in OpenAI's names. */
const usageDetails = tableOf<(usage: Json) => Details>({
  azure: openAiDetails,
  mistral: openAiDetails,
  google: (usage) => ({
    prompt: { audio_tokens: googleAudio(usage.promptTokensDetails, usage.toolUsePromptTokensDetails) },
    completion: { audio_tokens: googleAudio(usage.candidatesTokensDetails) },
  }),
  anthropic: ({ cache_creation: byLifetime }) => ({
    prompt: { cache_write_1h_tokens: memberOf(byLifetime, "ephemeral_1h_input_tokens") },
  }),
  bedrock: ({ cacheDetails }) => ({ prompt: { cache_write_1h_tokens: bedrockHour(cacheDetails) } }),
});

/** What a kind's own usage says beyond the package's, as OpenAI's details of the prompt and the completion. */
export const usageDetailsOf = (kind: string, usage: Json): Details => usageDetails[kind]?.(usage) ?? {};
