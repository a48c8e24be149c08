import type { TraceMessage } from "#contract/trace-content.ts";
import { address, secret, text } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";
import { type Attributes, metadataAttributes, present } from "../trace/attributes.ts";
import { plainText } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const numbered = (prefix: string, messages: readonly TraceMessage[]): Attributes =>
  Object.fromEntries(
    messages.flatMap((message, at) => [
      [`${prefix}.${at}.role`, message.role],
      [`${prefix}.${at}.content`, plainText(message)],
    ]),
  );

const traceAttributes = (trace: Trace): Attributes =>
  present({
    "langsmith.trace.name": trace.labels.traceName ?? trace.name,
    "langsmith.trace.session_id": trace.facts.session_id,
    "langsmith.span.tags": trace.labels.keyName,
    ...metadataAttributes(trace, "langsmith.metadata."),
  });

const generation = (trace: Trace): Attributes => ({
  ...traceAttributes(trace),
  "langsmith.span.kind": "llm",
  ...numbered("gen_ai.prompt", trace.content?.input ?? []),
  ...numbered("gen_ai.completion", trace.content?.output ?? []),
});

export const langsmith = otlpKind({
  type: "langsmith",
  name: "LangSmith",
  description: "Runs in a LangSmith project. The default address is in the EU.",
  documentationUrl: "https://docs.langchain.com/langsmith/trace-with-opentelemetry",
  fields: {
    apiKey: secret("API key", "lsv2_…"),
    project: text("Project").default("main"),
    workspaceId: text("Workspace id", "For keys with access to several workspaces.").optional(),
    endpoint: address("Address", "Self-hosted: the address with /api/v1.").default(
      "https://eu.api.smith.langchain.com",
    ),
  },
  encoding: "http/json",
  addressField: "endpoint",
  url: ({ endpoint }) => `${endpoint}/otel/v1/traces`,
  headers: ({ apiKey, project, workspaceId }) => ({
    "x-api-key": apiKey,
    "langsmith-project": project,
    ...(workspaceId && { "x-tenant-id": workspaceId }),
  }),
  options: () => ({ attributes: generation, rootAttributes: traceAttributes }),
});
