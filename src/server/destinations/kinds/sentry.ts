import { address, secret } from "../fields.ts";
import { otlpKind } from "../otlp-kind.ts";

/** A DSN is an address with the project's public key as user. */
const publicKeyOf = (dsn: string): string => (URL.canParse(dsn) ? new URL(dsn).username : "");

export const sentry = otlpKind({
  type: "sentry",
  name: "Sentry",
  description: "Traces in a Sentry project, through its OTLP endpoint.",
  documentationUrl: "https://docs.sentry.io/concepts/otlp/",
  fields: {
    dsn: secret("DSN", "https://<public key>@…").refine(
      (dsn) => publicKeyOf(dsn) !== "",
      "must be a DSN such as https://<public key>@o1.ingest.de.sentry.io/2",
    ),
    otlpEndpoint: address("OTLP endpoint", "https://…/api/<project>/integration/otlp/v1/traces"),
  },
  encoding: "http/json",
  addressField: "otlpEndpoint",
  url: ({ otlpEndpoint }) => otlpEndpoint,
  headers: ({ dsn }) => ({ "x-sentry-auth": `sentry sentry_key=${publicKeyOf(dsn)}` }),
});
