// A value for every field of every request, so that each can be sent to each provider.
import type { ChatRequest } from "#contract/chat.ts";
import type { CompletionRequest } from "#contract/completions.ts";
import type { EmbeddingRequest } from "#contract/embeddings.ts";
import type { MessagesRequest } from "#contract/messages.ts";
import type { RerankRequest } from "#contract/rerank.ts";
import type { ResponseRequest } from "#contract/responses.ts";

export interface Sent {
  readonly value: unknown;
  /** Other fields that the value needs. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** Portolan does what the field asks for where the provider does not. */
  readonly ours?: true;
}
/** Who uses a field: `portolan` means that it is no setting of a model, `refused` that it is not served. */
export type Sample = Sent | "portolan" | "refused";
type Samples<Request> = Readonly<Record<KnownKeys<Request>, Sample>>;
/** Without the index signature that loose objects have. */
type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };

const routed = {
  model: "portolan",
  models: "portolan",
  preset: "portolan",
  provider: "portolan",
  rule_id: "portolan",
  rule_name: "portolan",
  user: { value: "user-1" },
  session_id: "portolan",
  trace: "portolan",
  metadata: "portolan",
  stream: "portolan",
} as const;
const unsupported = {
  plugins: "refused",
  web_search_options: "refused",
  transforms: "refused",
  route: "portolan",
} as const;

const sampling = {
  temperature: { value: 0.5 },
  top_p: { value: 0.5 },
  top_k: { value: 4 },
  min_p: { value: 0.25 },
  top_a: { value: 0.25 },
  frequency_penalty: { value: 0.5 },
  presence_penalty: { value: 0.5 },
  repetition_penalty: { value: 1.25 },
  seed: { value: 7 },
  stop: { value: ["END"] },
  logit_bias: { value: { 50256: -100 } },
} as const;

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ type: "function", function: { name: "weather", description: "Weather", parameters } }];
const flatTools = [{ type: "function", name: "weather", description: "Weather", parameters, strict: false }];
const schema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

export const chatSamples: Samples<ChatRequest> = {
  ...routed,
  ...unsupported,
  ...sampling,
  transforms: "portolan",
  messages: "portolan",
  stream_options: "portolan",
  max_tokens: { value: 99 },
  max_completion_tokens: { value: 99 },
  logprobs: { value: true },
  top_logprobs: { value: 2, with: { logprobs: true } },
  n: { value: 2 },
  tools: { value: tools },
  tool_choice: { value: "required", with: { tools } },
  parallel_tool_calls: { value: false, with: { tools } },
  functions: { value: [tools[0]?.function] },
  function_call: { value: { name: "weather" }, with: { functions: [tools[0]?.function] } },
  response_format: {
    value: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
  },
  reasoning: { value: { effort: "high" } },
  reasoning_effort: { value: "high" },
  include_reasoning: "portolan",
  thinking: { value: { type: "enabled", budget_tokens: 2_048 } },
  verbosity: { value: "low" },
  modalities: { value: ["text", "audio"] },
  audio: { value: { voice: "alloy", format: "mp3" }, with: { modalities: ["text", "audio"] } },
  prediction: { value: { type: "content", content: "Bonjour" } },
  service_tier: { value: "flex" },
  prompt_cache_key: { value: "key-1" },
  safety_identifier: { value: "person-1" },
  store: "portolan",
};

export const completionSamples: Samples<CompletionRequest> = {
  ...routed,
  ...unsupported,
  ...sampling,
  prompt: "portolan",
  stream_options: "portolan",
  max_tokens: { value: 99 },
  logprobs: { value: 2 },
  top_logprobs: { value: 2 },
  n: { value: 2 },
  best_of: { value: 2 },
  echo: { value: true },
  suffix: { value: "The end." },
  reasoning: { value: { effort: "high" } },
  include_reasoning: "portolan",
};

export const responseSamples: Samples<ResponseRequest> = {
  ...routed,
  ...unsupported,
  input: "portolan",
  instructions: { value: "Be brief." },
  previous_response_id: "portolan",
  stream_options: "portolan",
  max_output_tokens: { value: 99 },
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  presence_penalty: sampling.presence_penalty,
  frequency_penalty: sampling.frequency_penalty,
  top_logprobs: { value: 2 },
  tools: { value: flatTools },
  tool_choice: { value: "required", with: { tools: flatTools } },
  parallel_tool_calls: { value: false, with: { tools: flatTools } },
  max_tool_calls: { value: 3 },
  reasoning: { value: { effort: "high" } },
  text: { value: { format: { type: "json_schema", name: "answer", strict: true, schema } } },
  truncation: "portolan",
  safety_identifier: { value: "person-1" },
  prompt_cache_key: { value: "key-1" },
  prompt_cache_retention: { value: "24h" },
  prompt_cache_options: { value: { mode: "implicit" } },
  store: "portolan",
  background: "portolan",
  include: { value: ["message.output_text.logprobs"] },
  service_tier: { value: "flex" },
  conversation: "refused",
  prompt: "refused",
  modalities: "refused",
  image_config: "refused",
  cache_control: "refused",
  debug: "refused",
  stop_server_tools_when: "refused",
};

const messagesTools = [{ name: "weather", description: "Weather", input_schema: parameters }];

export const messagesSamples: Samples<MessagesRequest> = {
  ...routed,
  metadata: { value: { user_id: "person-1" } },
  messages: "portolan",
  system: { value: "Be brief." },
  tools: { value: messagesTools },
  tool_choice: { value: { type: "any" }, with: { tools: messagesTools } },
  thinking: { value: { type: "enabled", budget_tokens: 2_048 } },
  output_config: { value: { format: { type: "json_schema", schema } } },
  max_tokens: { value: 4_096 },
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  stop_sequences: { value: ["END"] },
  // Without a tier every provider uses the standard one.
  service_tier: { value: "standard_only", ours: true },
};

export const embeddingSamples: Samples<EmbeddingRequest> = {
  ...routed,
  input: "portolan",
  encoding_format: { value: "base64", ours: true },
  dimensions: { value: 3 },
  input_type: { value: "query" },
};

export const rerankSamples: Samples<RerankRequest> = {
  ...routed,
  query: "portolan",
  documents: "portolan",
  top_n: { value: 1 },
  top_k: { value: 1 },
  return_documents: "portolan",
  rank_fields: "portolan",
  max_tokens_per_doc: { value: 64 },
  max_chunks_per_doc: { value: 4 },
  truncation: { value: true },
  priority: { value: 1 },
};
