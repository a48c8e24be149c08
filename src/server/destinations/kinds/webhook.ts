import { z } from "zod";
import { randomToken } from "#server/platform/ids.ts";
import { address, secret } from "../fields.ts";
import { defineKind, type Exchange, trialOf } from "../kind.ts";
import { isSigningSecret, webhookHeaders } from "../standard-webhook.ts";
import { otlpBody, withRefused } from "../trace/otlp.ts";
import type { Trace } from "../trace/trace.ts";

const signingSecret = (title: string, description: string) =>
  secret(title, description).refine(isSigningSecret, "must be whsec_ and 24 to 64 bytes in base64");

const fields = {
  url: address("Address", "The address that receives the traces, one per request."),
  method: z.enum(["POST", "PUT"]).default("POST").meta({ title: "Method" }),
  apiKey: secret("API key", "Sent as `Authorization: Bearer …`.").optional(),
  signingSecret: signingSecret(
    "Signing secret",
    "`whsec_…`: requests are signed according to Standard Webhooks.",
  ).optional(),
  previousSigningSecret: signingSecret(
    "Previous signing secret",
    "While you replace the secret, requests are signed with both.",
  ).optional(),
};
type Config = z.output<z.ZodObject<typeof fields>>;

async function post(
  config: Config,
  traces: readonly Trace[],
  { send, nowMs }: Exchange,
  id: string,
  test = false,
) {
  const { contentType, body, spans } = otlpBody(traces, "http/json");
  const response = await send({
    method: config.method,
    url: config.url,
    headers: {
      "content-type": contentType,
      ...(config.apiKey && { authorization: `Bearer ${config.apiKey}` }),
      ...(test && { "x-test-connection": "true" }),
      ...webhookHeaders([config.signingSecret, config.previousSigningSecret], { id, nowMs, body }),
    },
    body,
  });
  return withRefused(response, spans);
}

export const webhook = defineKind({
  type: "webhook",
  name: "Webhook",
  description: "OTLP as JSON to your own address, optionally signed.",
  documentationUrl: "https://www.standardwebhooks.com/",
  protocol: "OTLP/JSON, Standard Webhooks",
  fields,
  aliases: { endpoint: "url" },
  batchMax: 1,
  retryAlso: [408, 500],
  address: ({ url }) => ({ url, field: "url" }),
  deliver: (config, traces, exchange) => post(config, traces, exchange, traces[0]?.deliveryId ?? ""),
  async test(config, exchange) {
    const { status } = await post(config, [], exchange, `test_${randomToken(12)}`, true);
    return { ok: trialOf({ status }).ok || status === 400, status };
  },
});
