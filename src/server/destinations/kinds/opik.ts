import { address, secret, text } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

export const opik = otlpKind({
  type: "opik",
  name: "Comet Opik",
  description: "Traces in an Opik project, hosted by Comet or self-hosted.",
  documentationUrl: "https://www.comet.com/docs/opik/tracing/opentelemetry/overview",
  fields: {
    apiKey: secret("API key"),
    workspace: text("Workspace"),
    projectName: text("Project"),
    baseUrl: address("Address", "Self-hosted: the address with /api.").default(
      "https://www.comet.com/opik/api",
    ),
  },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/v1/private/otel/v1/traces`,
  headers: ({ apiKey, workspace, projectName }) => ({
    authorization: apiKey,
    "comet-workspace": workspace,
    projectname: projectName,
  }),
});
