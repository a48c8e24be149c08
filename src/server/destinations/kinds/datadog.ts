import { address, secret, text } from "../fields.ts";
import { defineKind, trialOf } from "../kind.ts";
import { chatMessages } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const nanoseconds = (ms: number): number => Math.round(ms * 1_000_000);
const defined = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

const parametersOf = ({ facts }: Trace): Record<string, unknown> => {
  const { temperature, max_tokens } = facts.parameters as Record<string, unknown>;
  return defined({ temperature, max_tokens });
};

const spanOf = (trace: Trace) => ({
  name: trace.name,
  span_id: trace.spanId,
  trace_id: trace.traceId,
  parent_id: trace.parentSpanId ?? "undefined",
  start_ns: nanoseconds(trace.startMs),
  duration: nanoseconds(trace.facts.duration_ms),
  status: trace.ok ? "ok" : "error",
  ...(trace.facts.session_id !== null && { session_id: trace.facts.session_id }),
  tags: [
    ...(trace.labels.keyName === "" ? [] : [`api_key:${trace.labels.keyName}`]),
    ...(trace.facts.user_reference === null ? [] : [`user_id:${trace.facts.user_reference}`]),
  ],
  meta: {
    kind: "llm",
    ...(trace.content && {
      input: { messages: chatMessages(trace.content.input) },
      output: { messages: chatMessages(trace.content.output) },
    }),
    ...(!trace.ok && {
      error: {
        message: trace.facts.error_code ?? trace.facts.status,
        type: trace.facts.error_code ?? "error",
      },
    }),
    metadata: {
      ...trace.metadata,
      ...parametersOf(trace),
      model_name: trace.facts.model ?? trace.facts.model_requested,
      model_provider: trace.facts.provider,
    },
  },
  metrics: defined({
    input_tokens: trace.facts.prompt_tokens,
    output_tokens: trace.facts.completion_tokens,
    total_tokens: trace.facts.prompt_tokens + trace.facts.completion_tokens,
    time_to_first_token: trace.facts.latency_ms === null ? null : trace.facts.latency_ms / 1000,
    total_cost: trace.costUsd,
  }),
});

export const datadog = defineKind({
  type: "datadog",
  name: "Datadog LLM Observability",
  description: "LLM spans through Datadog's own API. The default address is in the EU.",
  documentationUrl: "https://docs.datadoghq.com/llm_observability/instrumentation/api/",
  protocol: "Datadog LLM Observability API",
  fields: {
    apiKey: secret("API key"),
    mlApp: text("ML app").max(193),
    url: address("Address").default("https://api.datadoghq.eu"),
  },
  batchMax: 100,
  retryAlso: [408, 500],
  address: ({ url }) => ({ url, field: "url" }),
  deliver({ apiKey, mlApp, url }, traces, { send }) {
    const app = mlApp.toLowerCase();
    const attributes = { ml_app: app, tags: [`service:${app}`], spans: traces.map(spanOf) };
    return send({
      method: "POST",
      url: `${url}/api/intake/llm-obs/v1/trace/spans`,
      headers: { "content-type": "application/json", "dd-api-key": apiKey },
      body: JSON.stringify({ data: { type: "span", attributes } }),
    });
  },
  async test({ apiKey, url }, { send }) {
    return trialOf(
      await send({ method: "GET", url: `${url}/api/v1/validate`, headers: { "dd-api-key": apiKey } }),
    );
  },
});
