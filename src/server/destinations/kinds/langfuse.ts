import { isoTime } from "#server/platform/clock.ts";
import { address, secret, text } from "../fields.ts";
import { basic, otlpKind } from "../otlp-kind.ts";
import { type Attributes, metadataAttributes, present } from "../trace/attributes.ts";
import { chatMessages } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const traceAttributes = (trace: Trace): Attributes =>
  present({
    "langfuse.trace.name": trace.labels.traceName ?? trace.root?.name ?? trace.name,
    "user.id": trace.facts.user_reference,
    "session.id": trace.facts.session_id,
    "langfuse.trace.tags": trace.labels.keyName === "" ? null : [trace.labels.keyName],
    ...metadataAttributes(trace, "langfuse.trace.metadata."),
  });

const generation = (trace: Trace): Attributes =>
  present({
    ...traceAttributes(trace),
    "langfuse.observation.type": "generation",
    "langfuse.observation.model.name": trace.facts.model,
    "langfuse.observation.model.parameters": JSON.stringify(trace.facts.parameters),
    "langfuse.observation.input": trace.content && JSON.stringify(chatMessages(trace.content.input)),
    "langfuse.observation.output": trace.content && JSON.stringify(chatMessages(trace.content.output)),
    "langfuse.observation.usage_details": JSON.stringify({
      input: trace.facts.prompt_tokens,
      output: trace.facts.completion_tokens,
      total: trace.facts.prompt_tokens + trace.facts.completion_tokens,
      input_cached_tokens: trace.facts.cached_tokens,
      output_reasoning_tokens: trace.facts.reasoning_tokens,
    }),
    "langfuse.observation.cost_details": JSON.stringify({ total: trace.costUsd }),
    "langfuse.observation.completion_start_time":
      trace.firstContentMs === null ? null : isoTime(trace.firstContentMs),
    "langfuse.observation.level": trace.ok ? "DEFAULT" : "ERROR",
    "langfuse.observation.status_message": trace.ok ? null : trace.facts.error_code,
  });

export const langfuse = otlpKind({
  type: "langfuse",
  name: "Langfuse",
  description: "Generations with usage, cost and sessions. The default address is in the EU.",
  documentationUrl: "https://langfuse.com/integrations/native/opentelemetry",
  fields: {
    publicKey: text("Public key", "pk-lf-…"),
    secretKey: secret("Secret key", "sk-lf-…"),
    baseUrl: address("Address").default("https://cloud.langfuse.com"),
  },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/api/public/otel/v1/traces`,
  headers: ({ publicKey, secretKey }) => ({
    authorization: basic(publicKey, secretKey),
    "x-langfuse-ingestion-version": "4",
  }),
  options: () => ({ attributes: generation, rootAttributes: traceAttributes }),
});
