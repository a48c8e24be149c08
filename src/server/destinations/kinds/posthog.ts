import { isoTime } from "#server/platform/clock.ts";
import { address, secret } from "../fields.ts";
import { defineKind, trialOf } from "../kind.ts";
import { chatMessages } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const depthMax = 3;

/** `{a: {b: 1}}` → `{metadata_a_b: 1}`, to a depth of three. */
function flattened(value: Readonly<Record<string, unknown>>, prefix = "metadata", depth = 1): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const key = `${prefix}_${name}`;
      const deeper = typeof inner === "object" && inner !== null && !Array.isArray(inner) && depth < depthMax;
      return deeper
        ? Object.entries(flattened(inner as Record<string, unknown>, key, depth + 1))
        : [[key, inner]];
    }),
  );
}

const eventNames: Record<string, string> = { embeddings: "$ai_embedding" };

const eventOf = (trace: Trace) => ({
  event: eventNames[trace.facts.operation] ?? "$ai_generation",
  uuid: trace.deliveryId,
  timestamp: isoTime(trace.startMs),
  distinct_id: trace.facts.user_reference ?? trace.facts.session_id ?? trace.traceId,
  properties: {
    ...flattened(trace.metadata),
    $ai_trace_id: trace.traceId,
    $ai_session_id: trace.facts.session_id,
    $ai_span_id: trace.spanId,
    $ai_span_name: trace.name,
    $ai_parent_id: trace.parentSpanId,
    $ai_model: trace.facts.model ?? trace.facts.model_requested,
    $ai_provider: trace.facts.provider,
    ...(trace.content && {
      $ai_input: chatMessages(trace.content.input),
      $ai_output_choices: chatMessages(trace.content.output),
    }),
    $ai_input_tokens: trace.facts.prompt_tokens,
    $ai_output_tokens: trace.facts.completion_tokens,
    $ai_cache_read_input_tokens: trace.facts.cached_tokens,
    $ai_latency: trace.facts.duration_ms / 1000,
    $ai_time_to_first_token: trace.facts.latency_ms === null ? null : trace.facts.latency_ms / 1000,
    $ai_total_cost_usd: trace.costUsd,
    $ai_stream: trace.facts.streamed,
    $ai_http_status: trace.facts.http_status,
    $ai_is_error: !trace.ok,
    ...(!trace.ok && { $ai_error: trace.facts.error_code ?? trace.facts.status }),
    ...(trace.facts.user_reference === null && { $process_person_profile: false }),
  },
});

export const posthog = defineKind({
  type: "posthog",
  name: "PostHog",
  description: "LLM analytics events. The default address is in the EU.",
  documentationUrl: "https://posthog.com/docs/llm-analytics/manual-capture",
  protocol: "PostHog capture API",
  fields: {
    apiKey: secret("Project API key", "phc_…"),
    endpoint: address("Address").default("https://eu.i.posthog.com"),
  },
  batchMax: 100,
  retryAlso: [408, 500],
  address: ({ endpoint }) => ({ url: endpoint, field: "endpoint" }),
  deliver: ({ apiKey, endpoint }, traces, { send }) =>
    send({
      method: "POST",
      url: `${endpoint}/batch/`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ api_key: apiKey, batch: traces.map(eventOf) }),
    }),
  async test({ apiKey, endpoint }, { send }) {
    const body = JSON.stringify({ api_key: apiKey, batch: [] });
    const headers = { "content-type": "application/json" };
    return trialOf(await send({ method: "POST", url: `${endpoint}/batch/`, headers, body }));
  },
});
