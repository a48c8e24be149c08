import { address, secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

export const dynatrace = otlpKind({
  type: "dynatrace",
  name: "Dynatrace",
  description: "Traces in a Dynatrace environment.",
  documentationUrl: "https://docs.dynatrace.com/docs/ingest-from/opentelemetry/otlp-api",
  fields: {
    environmentUrl: address("Environment", "https://<environment>.live.dynatrace.com"),
    apiToken: secret("API token", "Requires the scope openTelemetryTrace.ingest."),
  },
  encoding: "http/protobuf",
  addressField: "environmentUrl",
  url: ({ environmentUrl }) => `${environmentUrl}/api/v2/otlp/v1/traces`,
  headers: ({ apiToken }) => ({ authorization: `Api-Token ${apiToken}` }),
});
