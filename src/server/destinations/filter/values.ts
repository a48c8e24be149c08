import type { TraceContent } from "#contract/trace-content.ts";
import { limits } from "#server/platform/limits.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { partText } from "../trace/chat-messages.ts";
import type { GenerationSummary } from "../trace/facts.ts";
import type { FilterValues, SeenText, TextField } from "./evaluate.ts";

const { filterTextCharsMax, filterEndCharsMax } = limits.destinations;

/** A substring keeps the complete text in memory unless it is copied. */
const copied = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The beginning and the end of the content, its parts joined by line breaks. */
function seenText(content: TraceContent, side: TextField): SeenText {
  const parts = content[side].flatMap((message) => message.parts);
  let start = "";
  let isWhole = true;
  for (const [at, part] of parts.entries()) {
    isWhole = start.length <= filterTextCharsMax;
    if (!isWhole) break;
    start += (at === 0 ? "" : "\n") + partText(part);
  }
  if (isWhole && start.length <= filterTextCharsMax) {
    const text = copied(start);
    return { start: text, end: text };
  }
  let end = "";
  for (const [at, part] of parts.toReversed().entries()) {
    if (end.length >= filterEndCharsMax) break;
    end = partText(part) + (at === 0 ? "" : "\n") + end;
  }
  return { start: copied(start.slice(0, filterTextCharsMax)), end: copied(end.slice(-filterEndCharsMax)) };
}

/** The values that filters see of a generation. `content` is called only if one of them needs it. */
export const filterValues = (
  facts: GenerationSummary,
  keyName: string,
  content: TraceContent | null,
): FilterValues => ({
  facts: {
    model: facts.model ?? facts.model_requested,
    provider: facts.provider,
    session_id: facts.session_id,
    user_id: facts.user_reference,
    api_key_name: keyName,
    finish_reason: facts.finish_reason,
    total_cost: numberFromPico(BigInt(facts.cost_pico_usd)),
    total_tokens: facts.prompt_tokens + facts.completion_tokens,
    prompt_tokens: facts.prompt_tokens,
    completion_tokens: facts.completion_tokens,
  },
  texts: content && { input: seenText(content, "input"), output: seenText(content, "output") },
});
