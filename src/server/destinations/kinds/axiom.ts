import { address, identifier, secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

export const axiom = otlpKind({
  type: "axiom",
  name: "Axiom",
  description: "Traces in an Axiom dataset.",
  documentationUrl: "https://axiom.co/docs/send-data/opentelemetry",
  fields: {
    apiToken: secret("API token"),
    dataset: identifier("Dataset", /^[A-Za-z0-9._-]{1,128}$/),
    baseUrl: address("Address", "In the EU: https://api.eu.axiom.co").default("https://api.axiom.co"),
  },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl}/v1/traces`,
  headers: ({ apiToken, dataset }) => ({ authorization: `Bearer ${apiToken}`, "x-axiom-dataset": dataset }),
});
