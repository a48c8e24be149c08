import { address, identifier, secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

const name = /^[A-Za-z0-9._-]{1,128}$/;

export const weave = otlpKind({
  type: "weave",
  name: "W&B Weave",
  description: "Traces in a Weave project.",
  documentationUrl: "https://docs.wandb.ai/weave/guides/tracking/otel",
  fields: {
    apiKey: secret("API key"),
    entity: identifier("Entity", name),
    project: identifier("Project", name),
    baseUrl: address("Address").default("https://trace.wandb.ai"),
  },
  encoding: "http/protobuf",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/otel/v1/traces`,
  headers: ({ apiKey, entity, project }) => ({
    "wandb-api-key": apiKey,
    // The older form, which older self-hosted servers still require.
    project_id: `${entity}/${project}`,
  }),
  options: ({ entity, project }) => ({ resource: { "wandb.entity": entity, "wandb.project": project } }),
});
