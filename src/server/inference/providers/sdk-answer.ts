import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { DetailWriter, extraContent, type ReasoningDetail } from "../reasoning/details.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { annotationsOf, tierOf } from "./sdk-metadata.ts";

const reasons: Record<LanguageModelV4FinishReason["unified"], string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
  interrupted: "error",
  other: "stop",
};

/** Usage in OpenAI's form; undefined if the provider reported none. */
export function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Json | undefined {
  const prompt = inputTokens.total ?? 0;
  const completion = outputTokens.total ?? 0;
  if (prompt === 0 && completion === 0) return undefined;
  const byLifetime = raw?.cache_creation;
  const hour = isJson(byLifetime) ? byLifetime.ephemeral_1h_input_tokens : undefined;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: inputTokens.cacheRead ?? 0,
      cache_write_tokens: inputTokens.cacheWrite ?? 0,
      ...(hour !== undefined && { cache_write_1h_tokens: hour }),
    },
    completion_tokens_details: { reasoning_tokens: outputTokens.reasoning ?? 0 },
  };
}

type FilePart = Extract<LanguageModelV4Content, { type: "file" }>;

export function imageOf({ mediaType, data }: FilePart): Json {
  const url =
    data.type === "url"
      ? data.url.href
      : `data:${mediaType};base64,${typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64")}`;
  return { type: "image_url", image_url: { url } };
}

export const logprobsOf = (metadata: SharedV4ProviderMetadata | undefined): Json | null => {
  const content = metadata?.openai?.logprobs;
  return Array.isArray(content) ? { content, refusal: null } : null;
};

export const ending = ({ unified, raw }: LanguageModelV4FinishReason): Json => ({
  // A finish reason unknown to the package may be one that we know.
  finish_reason: unified === "other" ? (raw ?? reasons.other) : reasons[unified],
  native_finish_reason: raw ?? null,
});

/** A complete answer as OpenAI's chat completion; `unread` is what the package ignored in its message. */
export function completionOf(result: LanguageModelV4GenerateResult, unread: Json): Json {
  let content = "";
  let reasoning = "";
  const calls: Json[] = [];
  const images: Json[] = [];
  const annotations: Json[] = [];
  const writer = new DetailWriter();
  const details: (ReasoningDetail | null)[] = [];
  for (const part of result.content) {
    if (part.type === "text") {
      content += part.text;
      details.push(writer.signature(part.providerMetadata));
    } else if (part.type === "reasoning") {
      reasoning += part.text;
      details.push(writer.reasoning(part.text, part.providerMetadata));
    } else if (part.type === "file") images.push(imageOf(part));
    else if (part.type === "source") annotations.push(...annotationsOf(part));
    else if (part.type === "tool-call" && !part.providerExecuted) {
      const detail = writer.signature(part.providerMetadata, part.toolCallId);
      details.push(detail);
      calls.push({
        id: part.toolCallId,
        type: "function",
        function: { name: part.toolName, arguments: part.input },
        ...extraContent(detail),
      });
    }
  }
  const made = details.filter((detail) => detail !== null);
  const message: Json = {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...(reasoning !== "" && { reasoning }),
    ...(made.length > 0 && { reasoning_details: made }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
    ...(annotations.length > 0 && { annotations }),
    ...unread,
  };
  const logprobs = logprobsOf(result.providerMetadata);
  return {
    ...tierOf(result.providerMetadata),
    choices: [{ index: 0, message, logprobs, ...ending(result.finishReason) }],
    usage: usageOf(result.usage),
  };
}
