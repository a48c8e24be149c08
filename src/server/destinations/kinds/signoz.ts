import { address, secret } from "../fields.ts";
import { otlpKind, tracesUrl } from "../otlp-kind.ts";

export const signoz = otlpKind({
  type: "signoz",
  name: "SigNoz",
  description:
    "Traces in SigNoz Cloud or a self-hosted SigNoz. The default address is SigNoz Cloud in the EU.",
  documentationUrl: "https://signoz.io/docs/ingestion/signoz-cloud/overview/",
  fields: {
    ingestionKey: secret("Ingestion key", "Not needed if SigNoz is self-hosted.").optional(),
    endpoint: address("Address", "In the US: https://ingest.us.signoz.cloud").default(
      "https://ingest.eu.signoz.cloud",
    ),
  },
  encoding: "http/protobuf",
  addressField: "endpoint",
  url: ({ endpoint }) => tracesUrl(endpoint),
  headers: ({ ingestionKey }) => ({ ...(ingestionKey && { "signoz-ingestion-key": ingestionKey }) }),
});
