import { type Usage, usageFromOpenAi } from "#server/billing/index.ts";
import { isJson, type Json } from "../shared/json.ts";

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Anthropic's usage. Its `input_tokens` exclude what was read from or written to a cache. */
export function anthropicUsage(usage: Json): Usage | null {
  const read = numberOf(usage.cache_read_input_tokens);
  const written = numberOf(usage.cache_creation_input_tokens);
  const creation = isJson(usage.cache_creation) ? usage.cache_creation : {};
  const details = isJson(usage.output_tokens_details) ? usage.output_tokens_details : {};
  // A count that is no number is passed on, so that it is noticed.
  const input = usage.input_tokens ?? 0;
  return usageFromOpenAi({
    prompt_tokens: typeof input === "number" ? input + read + written : input,
    completion_tokens: usage.output_tokens,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_input_tokens,
      cache_write_tokens: usage.cache_creation_input_tokens,
      cache_write_1h_tokens: creation.ephemeral_1h_input_tokens,
    },
    completion_tokens_details: { reasoning_tokens: details.thinking_tokens },
  });
}
