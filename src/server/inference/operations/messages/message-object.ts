import type { Message, MessageUsage } from "#contract/message-object.ts";
import type { Cost, Usage } from "#server/billing/index.ts";
import type { Generation } from "#server/inference/pipeline/generation.ts";
import { chargeOf, completionUsage, servedBy } from "#server/inference/pipeline/result.ts";

/** `msg_` and the digits of the generation's id. */
const messageIdOf = (generationId: string): string => `msg_${generationId.replaceAll("-", "")}`;

/** The members of a message that are known before its content. */
export function messageHead(
  generation: Generation,
): Pick<Message, "id" | "type" | "role" | "model" | "provider"> {
  const { model, provider } = servedBy(generation);
  return { id: messageIdOf(generation.id), type: "message", role: "assistant", model, provider };
}

/** Usage and charge in Anthropic's names: its `input_tokens` exclude what was read from or written to a cache. */
export const messageUsage = (usage: Usage, cost: Cost): MessageUsage => ({
  input_tokens: usage.uncached,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: usage.completion,
  output_tokens_details: { thinking_tokens: usage.reasoning },
  ...chargeOf(cost),
  cost_details: completionUsage(usage, cost).cost_details,
});
