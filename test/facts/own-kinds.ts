import { bedrockStream } from "#test/dialects/bedrock.ts";
import { json, sse } from "#test/dialects/dialect.ts";
import {
  asSse,
  type FactCase,
  type Json,
  merged,
  openAiFigures,
  openAiRow,
  places,
  stopped,
} from "./fact-case.ts";

const googleChoice = {
  groundingMetadata: {
    webSearchQueries: ["q"],
    groundingChunks: [{ web: { uri: "https://eu.example", title: "EU" } }],
    groundingSupports: [{ segment: { endIndex: 2, text: "Hi" }, groundingChunkIndices: [0] }],
  },
  safetyRatings: [{ category: "HARM_CATEGORY_HATE_SPEECH", probability: "NEGLIGIBLE", blocked: false }],
  citationMetadata: { citationSources: [{ startIndex: 0, endIndex: 2, uri: "https://eu.example" }] },
  urlContextMetadata: { urlMetadata: [{ retrievedUrl: "https://eu.example", urlRetrievalStatus: "S" }] },
  finishMessage: "done",
  avgLogprobs: -0.5,
};
const googleAnswer = { promptFeedback: { safetyRatings: googleChoice.safetyRatings } };
const googleUsage = {
  ...{ promptTokenCount: 100, cachedContentTokenCount: 30, candidatesTokenCount: 30, thoughtsTokenCount: 20 },
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 95 },
    { modality: "AUDIO", tokenCount: 5 },
  ],
  candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 7 }],
  serviceTier: "priority",
};
const google = (choice: Json, rest: Json) => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, ...choice }],
  ...{ modelVersion: "m", responseId: "r" },
  ...rest,
});
const source = { type: "url_citation", url_citation: { url: "https://eu.example", title: "EU" } };

const citation = {
  type: "char_location",
  ...{ cited_text: "Hi", document_index: 0, document_title: "Doc", start_char_index: 0, end_char_index: 2 },
};
const anthropicUsage = {
  ...{ input_tokens: 50, cache_read_input_tokens: 30, cache_creation_input_tokens: 20, output_tokens: 50 },
  cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
  output_tokens_details: { thinking_tokens: 20 },
  service_tier: "priority",
};
const anthropicEnd = { stop_reason: "stop_sequence", stop_sequence: "END" };
const container = { id: "container_1", expires_at: "2026-11-24T00:00:00Z" };
const edits = {
  applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 1, cleared_input_tokens: 9 }],
};
const anthropicHead = { id: "msg_1", type: "message", role: "assistant", model: "m" };

const trace = { guardrail: { inputAssessment: { g1: { topicPolicy: { topics: [] } } } } };
const bedrockEnd = {
  additionalModelResponseFields: { delta: { stop_sequence: "END" } },
  stopReason: "stop_sequence",
};
const bedrockAbout = {
  usage: {
    ...{
      inputTokens: 50,
      cacheReadInputTokens: 30,
      cacheWriteInputTokens: 20,
      outputTokens: 50,
      totalTokens: 150,
    },
    cacheDetails: [
      { ttl: "5m", inputTokens: 5 },
      { ttl: "1h", inputTokens: 15 },
    ],
  },
  metrics: { latencyMs: 5 },
  trace,
  performanceConfig: { latency: "optimized" },
  serviceTier: { type: "priority" },
};

const claudeFigures = { uncached: 50, cacheRead: 30, cacheWrite: 20, cacheWriteHour: 15, completion: 50 };

/** Providers whose answers are in a form of their own. */
export const ownKinds: readonly FactCase[] = [
  {
    name: "google",
    title: "Gemini",
    kind: "google",
    complete: json(
      google({ ...googleChoice, finishReason: "STOP" }, { ...googleAnswer, usageMetadata: googleUsage }),
    ),
    stream: asSse([
      google({}, googleAnswer),
      google(
        { ...googleChoice, content: { role: "model", parts: [] }, finishReason: "STOP" },
        { usageMetadata: googleUsage },
      ),
    ]),
    facts: places({ ...googleAnswer, service_tier: "priority" }, googleChoice, { annotations: [source] }),
    usage: {
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 7 },
    },
    figures: { ...openAiFigures, audioPrompt: 5, audioCompletion: 7 },
    row: openAiRow,
  },
  {
    name: "anthropic",
    title: "Claude",
    kind: "anthropic",
    complete: json({
      ...{ ...anthropicHead, ...anthropicEnd, usage: anthropicUsage, container, context_management: edits },
      content: [{ type: "text", text: "Hi", citations: [citation] }],
    }),
    stream: sse([
      [
        "message_start",
        {
          type: "message_start",
          message: {
            ...{ ...anthropicHead, content: [], stop_reason: null, stop_sequence: null },
            usage: { ...anthropicUsage, output_tokens: 1 },
          },
        },
      ],
      ...[
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
        { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { ...anthropicEnd, container },
          usage: { output_tokens: 50, output_tokens_details: { thinking_tokens: 20 } },
          context_management: edits,
        },
        { type: "message_stop" },
      ].map((event) => [event.type, event] as const),
    ]),
    facts: merged(
      places(
        { container, context_management: edits, service_tier: "priority" },
        { stop_sequence: "END" },
        { citations: [citation] },
      ),
      stopped,
    ),
    usage: { prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 } },
    figures: { ...claudeFigures, reasoning: 20 },
    row: { ...openAiRow, cache_write_tokens: 20 },
  },
  {
    name: "bedrock",
    title: "Bedrock",
    kind: "bedrock",
    complete: json({
      output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
      ...bedrockEnd,
      ...bedrockAbout,
    }),
    stream: bedrockStream([
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", bedrockEnd],
      ["metadata", bedrockAbout],
    ]),
    facts: merged(
      places(
        { trace, performanceConfig: { latency: "optimized" }, service_tier: "priority" },
        { stop_sequence: "END" },
        {},
      ),
      stopped,
    ),
    usage: { prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 } },
    figures: claudeFigures,
    row: { ...openAiRow, cache_write_tokens: 20, reasoning_tokens: 0 },
  },
];
