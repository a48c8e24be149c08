import { z } from "zod";
import { address } from "../fields.ts";
import { otlpKind, tracesUrl } from "../otlp-kind.ts";

export const otelCollector = otlpKind({
  type: "otel-collector",
  name: "OpenTelemetry Collector",
  description: "Any OTLP receiver over HTTP.",
  documentationUrl: "https://opentelemetry.io/docs/specs/otlp/",
  fields: {
    endpoint: address("Endpoint", "The receiver's address, with or without /v1/traces."),
    protocol: z.enum(["http/json", "http/protobuf"]).default("http/json").meta({ title: "Encoding" }),
  },
  encoding: ({ protocol }) => protocol,
  addressField: "endpoint",
  url: ({ endpoint }) => tracesUrl(endpoint),
});
