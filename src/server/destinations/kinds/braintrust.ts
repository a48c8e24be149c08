import { address, secret, text } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";
import { present } from "../trace/attributes.ts";
import { chatMessages } from "../trace/chat-messages.ts";

export const braintrust = otlpKind({
  type: "braintrust",
  name: "Braintrust",
  description: "Logs in a Braintrust project. The default address is in the EU.",
  documentationUrl: "https://www.braintrust.dev/docs/integrations/sdk-integrations/opentelemetry",
  fields: {
    apiKey: secret("API key"),
    projectId: text("Project id"),
    baseUrl: address("Address").default("https://api-eu.braintrust.dev"),
  },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/otel/v1/traces`,
  headers: ({ apiKey, projectId }) => ({
    authorization: `Bearer ${apiKey}`,
    "x-bt-parent": `project_id:${projectId}`,
  }),
  options: () => ({
    attributes: (trace) =>
      present({
        "braintrust.span_attributes": JSON.stringify({ type: "llm" }),
        "braintrust.input_json": trace.content && JSON.stringify(chatMessages(trace.content.input)),
        "braintrust.output_json": trace.content && JSON.stringify(chatMessages(trace.content.output)),
        "braintrust.metadata": JSON.stringify({ ...trace.metadata, model: trace.facts.model }),
        "braintrust.metrics": JSON.stringify({
          prompt_tokens: trace.facts.prompt_tokens,
          completion_tokens: trace.facts.completion_tokens,
          tokens: trace.facts.prompt_tokens + trace.facts.completion_tokens,
          estimated_cost: trace.costUsd,
        }),
      }),
  }),
});
