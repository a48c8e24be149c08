import type {
  IncompleteReason,
  OutputItem,
  ResponseObject,
  ResponseStatus,
  ResponseUsage,
} from "#contract/response-object.ts";
import { type Cost, promptTokens, type Usage } from "#server/billing/index.ts";
import { conversationNamed } from "#server/inference/conversations/conversation-id.ts";
import { completionUsage } from "#server/inference/pipeline/result.ts";
import { outputText } from "#server/inference/wires/openai-responses/events.ts";
import type { PreparedResponse } from "#server/inference/wires/openai-responses/prepared-response.ts";
import { checkedId, uuidOfChecked } from "#server/platform/checked-ids.ts";

const prefix = "resp";

/** The id of a response as clients see it. */
export const responseIdOf = (generationId: string): string => checkedId(prefix, generationId);

/** The generation of a response's id; null if the id is not valid. */
export const generationIdOf = (responseId: string): string | null => uuidOfChecked(prefix, responseId);

/** Usage and charge as in the response object; `cost_details` has the names of both families. */
export function responseUsage(usage: Usage, cost: Cost): ResponseUsage {
  const { cost_details: details, ...given } = completionUsage(usage, cost);
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: given.total_tokens,
    cost: given.cost,
    cost_currency: given.cost_currency,
    cost_eur: given.cost_eur,
    is_byok: given.is_byok,
    cost_details: {
      ...details,
      upstream_inference_input_cost: details.upstream_inference_prompt_cost,
      upstream_inference_output_cost: details.upstream_inference_completions_cost,
    },
  };
}

/** The members that never change during a stream: the settings of the request. */
export type ResponseSettings = Omit<ResponseObject, keyof ResponseState>;

export interface ResponseState {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly status: ResponseStatus;
  readonly model: string;
  readonly provider: string | null;
  readonly output: OutputItem[];
  readonly output_text: string;
  readonly usage: ResponseUsage | null;
  readonly completed_at: number | null;
  readonly error: { code: string; message: string } | null;
  readonly incomplete_details: { reason: IncompleteReason } | null;
  readonly service_tier: string;
  readonly error_type?: string;
}

function conversationOf(request: PreparedResponse): ResponseObject["conversation"] {
  const id = conversationNamed(request);
  return id === null ? null : { id };
}

/** Every setting of the response object, with OpenAI's defaults for missing ones. */
export const settingsOf = (request: PreparedResponse): ResponseSettings => ({
  billing: { payer: "developer" },
  frequency_penalty: request.frequency_penalty ?? 0,
  conversation: conversationOf(request),
  instructions: request.instructions ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  max_tool_calls: request.max_tool_calls ?? null,
  moderation: null,
  parallel_tool_calls: request.parallel_tool_calls ?? true,
  presence_penalty: request.presence_penalty ?? 0,
  previous_response_id: request.previous_response_id ?? null,
  prompt: null,
  prompt_cache_key: request.prompt_cache_key ?? null,
  prompt_cache_retention: request.prompt_cache_retention ?? null,
  reasoning: {
    ...request.reasoning,
    effort: request.reasoning?.effort ?? null,
    generate_summary: request.reasoning?.generate_summary ?? null,
    summary: request.reasoning?.summary ?? null,
  },
  safety_identifier: request.safety_identifier ?? null,
  store: request.store,
  temperature: request.temperature ?? 1,
  text: {
    ...request.text,
    format: request.text?.format ?? { type: "text" },
    verbosity: request.text?.verbosity ?? "medium",
  },
  tool_choice: request.tool_choice ?? "auto",
  tools: request.tools ?? [],
  top_logprobs: request.top_logprobs ?? 0,
  top_p: request.top_p ?? 1,
  truncation: request.truncation ?? "disabled",
  user: request.user ?? null,
  metadata: request.metadata ?? {},
  background: request.background ?? false,
});

/** A response that has just begun, or is queued. */
export const begunState = (
  id: string,
  created_at: number,
  status: "queued" | "in_progress",
  by: { readonly model: string; readonly provider: string | null },
  serviceTier: string,
): ResponseState => ({
  id,
  object: "response",
  created_at,
  status,
  model: by.model,
  provider: by.provider,
  output: [],
  output_text: "",
  usage: null,
  completed_at: null,
  error: null,
  incomplete_details: null,
  service_tier: serviceTier,
});

/** The end of a response. */
export interface Ended {
  readonly status: ResponseStatus;
  readonly items: OutputItem[];
  readonly usage: ResponseUsage | null;
  readonly completedAt: number | null;
  readonly incomplete: IncompleteReason | null;
  readonly error: { code: string; message: string } | null;
  readonly serviceTier: string | null;
  /** Members that only the provider knows. */
  readonly facts?: Readonly<Record<string, unknown>> | null;
  readonly errorType?: string;
}

export const endedState = (begun: ResponseState, ended: Ended): ResponseState => ({
  ...ended.facts,
  ...begun,
  status: ended.status,
  output: ended.items,
  output_text: outputText(ended.items),
  usage: ended.usage,
  completed_at: ended.completedAt,
  error: ended.error,
  incomplete_details: ended.incomplete && { reason: ended.incomplete },
  service_tier: ended.serviceTier ?? begun.service_tier,
  ...(ended.errorType && { error_type: ended.errorType }),
});
