import type { TraceMessage } from "#contract/trace-content.ts";
import { address, secret, text } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";
import { type Attributes, present } from "../trace/attributes.ts";
import { plainText } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const messages = (prefix: string, given: readonly TraceMessage[]): Attributes =>
  Object.fromEntries(
    given.flatMap((message, at) => [
      [`${prefix}.${at}.message.role`, message.role],
      [`${prefix}.${at}.message.content`, plainText(message)],
    ]),
  );

/** The OpenInference conventions, which Arize and Phoenix read. */
const openInference = (trace: Trace): Attributes =>
  present({
    "openinference.span.kind": "LLM",
    "llm.model_name": trace.facts.model ?? trace.facts.model_requested,
    "llm.provider": trace.facts.provider,
    "llm.token_count.prompt": trace.facts.prompt_tokens,
    "llm.token_count.completion": trace.facts.completion_tokens,
    "llm.token_count.total": trace.facts.prompt_tokens + trace.facts.completion_tokens,
    "llm.cost.total": trace.costUsd,
    "llm.invocation_parameters": JSON.stringify(trace.facts.parameters),
    "input.value": trace.content?.input.map(plainText).join("\n"),
    "output.value": trace.content?.output.map(plainText).join("\n"),
    metadata: JSON.stringify(trace.metadata),
    ...messages("llm.input_messages", trace.content?.input ?? []),
    ...messages("llm.output_messages", trace.content?.output ?? []),
  });

export const arize = otlpKind({
  type: "arize",
  name: "Arize AX",
  description: "Traces in an Arize project, in the OpenInference conventions.",
  documentationUrl: "https://arize.com/docs/ax/observe/tracing",
  fields: {
    apiKey: secret("API key"),
    spaceKey: text("Space id"),
    modelId: text("Project"),
    baseUrl: address("Address").default("https://otlp.arize.com"),
  },
  encoding: "http/protobuf",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/v1/traces`,
  // Arize documents the first pair; many clients send the second.
  headers: ({ apiKey, spaceKey }) => ({
    "arize-space-id": spaceKey,
    "arize-api-key": apiKey,
    space_id: spaceKey,
    api_key: apiKey,
  }),
  options: ({ modelId }) => ({
    resource: { "openinference.project.name": modelId, model_id: modelId },
    attributes: openInference,
  }),
});
