import { address, secret, text } from "../fields.ts";
import { basic, otlpKind } from "../otlp-kind.ts";

export const grafana = otlpKind({
  type: "grafana",
  name: "Grafana Cloud",
  description: "Traces in Grafana Tempo, through the OTLP gateway of your region.",
  documentationUrl: "https://grafana.com/docs/grafana-cloud/send-data/otlp/send-data-otlp/",
  fields: {
    apiKey: secret("Token", "From an access policy with the scope traces:write."),
    instanceId: text("Instance id"),
    baseUrl: address(
      "Address",
      "The OTLP gateway of your region, such as https://otlp-gateway-prod-eu-west-2.grafana.net",
    ),
  },
  encoding: "http/json",
  addressField: "baseUrl",
  url: ({ baseUrl }) => `${baseUrl.replace(/\/otlp$/, "")}/otlp/v1/traces`,
  headers: ({ apiKey, instanceId }) => ({ authorization: basic(instanceId, apiKey) }),
});
