import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { DetailWriter, extraContent, type ReasoningDetail } from "../reasoning/details.ts";
import type { Json } from "../wires/shared/json.ts";
import type { FactReader } from "./answer-facts.ts";
import { annotationsOf, tierOf } from "./sdk-metadata.ts";
import { usageDetailsOf } from "./usage-details.ts";

const reasons: Record<LanguageModelV4FinishReason["unified"], string> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
  interrupted: "error",
  other: "stop",
};

/** Usage in OpenAI's form; undefined if the provider reported none. `own`: the provider's, if the package cuts it. */
export function usageOf(
  { inputTokens, outputTokens, raw }: LanguageModelV4Usage,
  kind: string,
  own: Json | null,
): Json | undefined {
  const prompt = inputTokens.total ?? 0;
  const completion = outputTokens.total ?? 0;
  if (prompt === 0 && completion === 0) return undefined;
  const details = usageDetailsOf(kind, own ?? raw ?? {});
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      ...details.prompt,
      cached_tokens: inputTokens.cacheRead ?? 0,
      cache_write_tokens: inputTokens.cacheWrite ?? 0,
    },
    completion_tokens_details: {
      ...details.completion,
      reasoning_tokens: outputTokens.reasoning ?? details.completion?.reasoning_tokens ?? 0,
    },
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

/** A complete answer as OpenAI's chat completion, with the facts of its kind. */
export function completionOf(result: LanguageModelV4GenerateResult, reader: FactReader): Json {
  const body = result.response?.body;
  const facts = reader.facts(reader.from === "json" ? body : result.providerMetadata);
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
    else if (part.type === "source" && !reader.hasSources) annotations.push(...annotationsOf(part));
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
    ...facts.message,
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...(reasoning !== "" && { reasoning }),
    ...(made.length > 0 && { reasoning_details: made }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
    ...(annotations.length > 0 && { annotations }),
  };
  const logprobs = logprobsOf(result.providerMetadata);
  return {
    ...facts.answer,
    ...tierOf(result.providerMetadata),
    choices: [{ ...facts.choice, index: 0, message, logprobs, ...ending(result.finishReason) }],
    usage: usageOf(result.usage, reader.kind, reader.usage(body)),
  };
}
