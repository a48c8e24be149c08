import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { isJson, type Json } from "../wires/shared/json.ts";
import { annotationsOf, tierOf } from "./sdk-metadata.ts";
import type { Unread } from "./sdk-upstream.ts";

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

function imageOf({ mediaType, data }: FilePart): Json {
  const url =
    data.type === "url"
      ? data.url.href
      : `data:${mediaType};base64,${typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64")}`;
  return { type: "image_url", image_url: { url } };
}

const logprobsOf = (metadata: SharedV4ProviderMetadata | undefined): Json | null => {
  const content = metadata?.openai?.logprobs;
  return Array.isArray(content) ? { content, refusal: null } : null;
};

const ending = ({ unified, raw }: LanguageModelV4FinishReason): Json => ({
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
  for (const part of result.content) {
    if (part.type === "text") content += part.text;
    else if (part.type === "reasoning") reasoning += part.text;
    else if (part.type === "file") images.push(imageOf(part));
    else if (part.type === "source") annotations.push(...annotationsOf(part));
    else if (part.type === "tool-call" && !part.providerExecuted)
      calls.push({
        id: part.toolCallId,
        type: "function",
        function: { name: part.toolName, arguments: part.input },
      });
  }
  const message: Json = {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...(reasoning !== "" && { reasoning }),
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

const chunk = (delta: Json, rest: Json = {}): Json => ({
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});

/** Converts the SDK's stream to OpenAI's chunks, one part at a time. */
export function chunkWriter(unread?: Unread) {
  const callIndex = new Map<string, number>();
  const callChunk = (id: string, rest: Json): Json => {
    const index = callIndex.get(id) ?? callIndex.size;
    callIndex.set(id, index);
    return chunk({ tool_calls: [{ index, ...rest }] });
  };
  const opening = (id: string, name: string, text: string): Json =>
    callChunk(id, { id, type: "function", function: { name, arguments: text } });
  return {
    /** The chunk of a part; null if it contains nothing for a client. */
    write(part: LanguageModelV4StreamPart): Json | null {
      switch (part.type) {
        case "text-delta":
          return part.delta === "" ? null : chunk({ content: part.delta });
        case "reasoning-delta":
          return part.delta === "" ? null : chunk({ reasoning: part.delta });
        case "tool-input-start":
          return part.providerExecuted ? null : opening(part.id, part.toolName, "");
        case "tool-input-delta":
          return callIndex.has(part.id) ? callChunk(part.id, { function: { arguments: part.delta } }) : null;
        case "tool-call":
          // Most calls were streamed before they come completely.
          return part.providerExecuted || callIndex.has(part.toolCallId)
            ? null
            : opening(part.toolCallId, part.toolName, part.input);
        case "raw": {
          const left = unread?.(part.rawValue);
          return left ? chunk(left) : null;
        }
        case "file":
          return chunk({ images: [imageOf(part)] });
        case "source": {
          const annotations = annotationsOf(part);
          return annotations.length > 0 ? chunk({ annotations }) : null;
        }
        case "finish": {
          // If the stream was interrupted, the provider has given no finish reason.
          const ended = part.finishReason.raw !== undefined;
          const logprobs = logprobsOf(part.providerMetadata);
          const usage = usageOf(part.usage);
          const last = ended ? chunk({}, { logprobs, ...ending(part.finishReason) }) : { choices: [] };
          return { ...tierOf(part.providerMetadata), ...last, usage };
        }
        default:
          return null;
      }
    },
  };
}
