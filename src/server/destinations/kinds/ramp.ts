import { address, secret } from "../fields.ts";
import { otlpKind, tracesUrl } from "../otlp-kind.ts";

export const ramp = otlpKind({
  type: "ramp",
  name: "Ramp",
  description: "Traces in Ramp, at the OTLP address that Ramp shows you.",
  documentationUrl: "https://docs.ramp.com/",
  fields: { apiKey: secret("API key"), baseUrl: address("Address") },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => tracesUrl(baseUrl),
  headers: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
});
