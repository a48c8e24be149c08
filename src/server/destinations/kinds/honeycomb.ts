import { address, identifier, secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

export const honeycomb = otlpKind({
  type: "honeycomb",
  name: "Honeycomb",
  description: "Traces in a Honeycomb environment. The default address is in the EU.",
  documentationUrl: "https://docs.honeycomb.io/send-data/opentelemetry/",
  fields: {
    apiKey: secret("API key", "An ingest key."),
    dataset: identifier("Dataset", /^[A-Za-z0-9 ._/-]{1,128}$/).optional(),
    endpoint: address("Address", "In the US: https://api.honeycomb.io").default(
      "https://api.eu1.honeycomb.io",
    ),
  },
  encoding: "http/protobuf",
  addressField: "endpoint",
  url: ({ endpoint }) => `${endpoint}/v1/traces`,
  headers: ({ apiKey, dataset }) => ({
    "x-honeycomb-team": apiKey,
    ...(dataset && { "x-honeycomb-dataset": dataset }),
  }),
});
