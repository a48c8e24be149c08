import { z } from "zod";
import { secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

const origins = { us: "https://otlp.nr-data.net", eu: "https://otlp.eu01.nr-data.net" } as const;

export const newrelic = otlpKind({
  type: "newrelic",
  name: "New Relic",
  description: "Traces in New Relic. The default address is in the EU.",
  documentationUrl: "https://docs.newrelic.com/docs/opentelemetry/best-practices/opentelemetry-otlp/",
  fields: {
    licenseKey: secret("License key"),
    region: z.enum(["us", "eu"]).default("eu").meta({ title: "Region" }),
  },
  encoding: "http/protobuf",
  addressField: null,
  // New Relic accepts at most 1 MB per request.
  batchMax: 20,
  url: ({ region }) => `${origins[region]}/v1/traces`,
  headers: ({ licenseKey }) => ({ "api-key": licenseKey }),
});
