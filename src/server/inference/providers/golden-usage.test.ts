import { expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { noUsage, promptTokens, type Usage } from "#server/billing/index.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { sending } from "#test/sending.ts";
import { nativeChat } from "../wires/openai-chat/wire.ts";
import { providerKinds } from "./registry.ts";

const { upstream, outbound } = await upstreamOfFile();

const openAi = (usage: object) => ({
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage,
});
const anthropic = (usage: object) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
});
const google = (usageMetadata: object) => ({
  candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata,
});
const bedrock = (usage: object) => ({
  output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
  stopReason: "end_turn",
  usage,
});

/** What each provider says of one answer, and what that is in our form. Shapes after their API references. */
const vectors: readonly (readonly [name: string, kind: string, body: object, expected: Partial<Usage>])[] = [
  [
    "OpenAI",
    "openai-compatible",
    openAi({
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 256,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }),
    { uncached: 86, cacheRead: 1920, completion: 300, reasoning: 256 },
  ],
  [
    "DeepSeek",
    "openai-compatible",
    openAi({
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    }),
    { uncached: 36, cacheRead: 64, completion: 20 },
  ],
  [
    "vLLM",
    "openai-compatible",
    openAi({ prompt_tokens: 30, total_tokens: 42, completion_tokens: 12, prompt_tokens_details: null }),
    { uncached: 30, completion: 12 },
  ],
  [
    "Mistral",
    "mistral",
    {
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "m",
      ...openAi({ prompt_tokens: 30, total_tokens: 42, completion_tokens: 12 }),
    },
    { uncached: 30, completion: 12 },
  ],
  [
    "Anthropic, the cache written for five minutes",
    "anthropic",
    anthropic({
      input_tokens: 21,
      cache_creation_input_tokens: 188,
      cache_read_input_tokens: 1000,
      output_tokens: 393,
    }),
    { uncached: 21, cacheRead: 1000, cacheWrite: 188, completion: 393 },
  ],
  [
    "Anthropic, the cache written for both lifetimes",
    "anthropic",
    anthropic({
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      output_tokens: 503,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
    }),
    { uncached: 2048, cacheRead: 1800, cacheWrite: 248, cacheWriteHour: 100, completion: 503 },
  ],
  [
    "Google, whose thoughts stand beside the candidates",
    "google",
    google({
      promptTokenCount: 500,
      cachedContentTokenCount: 400,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 60,
      totalTokenCount: 600,
    }),
    { uncached: 100, cacheRead: 400, completion: 100, reasoning: 60 },
  ],
  [
    "Bedrock",
    "bedrock",
    bedrock({
      inputTokens: 50,
      cacheReadInputTokens: 900,
      cacheWriteInputTokens: 70,
      outputTokens: 33,
      totalTokens: 1053,
    }),
    { uncached: 50, cacheRead: 900, cacheWrite: 70, completion: 33 },
  ],
];

test.each(vectors)("usage of %s", async (_name, kind, body, expected) => {
  upstream.answer = (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  const request = ChatRequest.parse({ model: "m/x", messages: [{ role: "user", content: "Hello" }] });
  const at = endpoint(provider("theirs", { kind, baseUrl: `${upstream.origin}/v1` }), model("m/x"));
  const value = await providerKinds
    .get(kind)
    ?.upstream(at, "chat", "key")
    ?.complete(exchangeWith(outbound, nativeChat.encode(request, at, sending(64, false))));
  const usage = nativeChat.reader(request).answer(value).usage;
  expect(usage).toEqual({ ...noUsage, ...expected });
  const full = usage ?? noUsage;
  expect(promptTokens(full)).toBe(full.uncached + full.cacheRead + full.cacheWrite);
});
