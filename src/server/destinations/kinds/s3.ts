import { AwsV4Signer } from "aws4fetch";
import { isoTime, unixSeconds } from "#server/platform/clock.ts";
import { address, identifier, secret, text } from "../fields.ts";
import { type ConfigOf, type DestinationRequest, defineKind, type Exchange, succeeded } from "../kind.ts";
import { attributesOf } from "../trace/attributes.ts";
import { chatMessages } from "../trace/chat-messages.ts";
import type { Trace } from "../trace/trace.ts";

const fields = {
  bucketName: identifier("Bucket", /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  accessKeyId: text("Access key id"),
  secretAccessKey: secret("Secret access key"),
  sessionToken: secret("Session token").optional(),
  region: identifier("Region").default("eu-central-1"),
  endpoint: address("Address", "Only for S3-compatible services; empty for Amazon S3.").optional(),
  prefix: text("Prefix").default("traces"),
  pathTemplate: text(
    "Path",
    "Placeholders: {prefix}, {date}, {year}, {month}, {day} and {apiKeyName}.",
  ).default("{prefix}/{date}"),
};
type Config = ConfigOf<typeof fields>;

const bucketUrl = ({ bucketName, region, endpoint }: Config): string => {
  if (endpoint) return `${endpoint}/${bucketName}`;
  // A certificate for *.s3… does not match names with dots.
  return bucketName.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucketName}`
    : `https://${bucketName}.s3.${region}.amazonaws.com`;
};

const safe = (part: string): string => part.replaceAll(/[^A-Za-z0-9._-]/g, "_");

/** The object's key: equal for every attempt, so that a trace sent twice is one object. */
function keyOf({ prefix, pathTemplate }: Config, trace: Trace): string {
  const [date = ""] = isoTime(trace.startMs).split("T");
  const [year = "", month = "", day = ""] = date.split("-");
  const known: Record<string, string> = { date, year, month, day, apiKeyName: safe(trace.labels.keyName) };
  const path = pathTemplate
    .replaceAll("{prefix}", prefix)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "_")
    .split("/")
    .map(safe)
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
  // Several generations may share a client's trace id.
  const own = trace.labels.traceId === null ? "" : `-${trace.spanId}`;
  return `${path}/${trace.traceId}-${unixSeconds(trace.startMs)}${own}.json`;
}

const objectOf = (trace: Trace) => ({
  id: trace.traceId,
  name: trace.labels.traceName ?? trace.name,
  userId: trace.facts.user_reference,
  sessionId: trace.facts.session_id,
  timestamp: isoTime(trace.startMs),
  metadata: trace.metadata,
  observations: [
    {
      id: trace.spanId,
      type: "GENERATION",
      name: trace.name,
      startTime: isoTime(trace.startMs),
      endTime: isoTime(trace.endMs),
      model: trace.facts.model ?? trace.facts.model_requested,
      provider: trace.facts.provider,
      input: trace.content ? chatMessages(trace.content.input) : null,
      output: trace.content ? chatMessages(trace.content.output) : null,
      usage: {
        input: trace.facts.prompt_tokens,
        output: trace.facts.completion_tokens,
        total: trace.facts.prompt_tokens + trace.facts.completion_tokens,
      },
      cost: { usd: trace.costUsd, eur: trace.costEur },
      metadata: attributesOf({ ...trace, content: null }),
      level: trace.ok ? "DEFAULT" : "ERROR",
    },
  ],
});

async function signed(
  config: Config,
  { nowMs }: Exchange,
  method: "PUT" | "DELETE",
  key: string,
  body: string,
): Promise<DestinationRequest> {
  const signer = new AwsV4Signer({
    method,
    url: `${bucketUrl(config)}/${key}`,
    headers: method === "PUT" ? { "content-type": "application/json" } : {},
    body,
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey,
    ...(config.sessionToken && { sessionToken: config.sessionToken }),
    service: "s3",
    region: config.region,
    datetime: isoTime(nowMs).replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  const { url, headers } = await signer.sign();
  const { host: _, ...own } = Object.fromEntries(headers.entries());
  return { method, url: url.href, headers: own, body };
}

const testKey = ".connection-test";

export const s3 = defineKind({
  type: "s3",
  name: "S3 and compatible",
  description: "One JSON object per trace, in your own bucket.",
  documentationUrl: "https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html",
  protocol: "S3 PutObject",
  fields,
  batchMax: 1,
  retryAlso: [408, 500],
  address: (config) => ({ url: bucketUrl(config), field: config.endpoint ? "endpoint" : "region" }),
  async deliver(config, [trace], exchange) {
    if (!trace) throw new Error("There is no trace to write");
    const request = await signed(
      config,
      exchange,
      "PUT",
      keyOf(config, trace),
      JSON.stringify(objectOf(trace)),
    );
    return exchange.send(request);
  },
  async test(config, exchange) {
    const { status } = await exchange.send(await signed(config, exchange, "PUT", testKey, ""));
    if (!succeeded(status)) return { ok: false, status };
    const gone = await exchange.send(await signed(config, exchange, "DELETE", testKey, ""));
    return { ok: true, status: succeeded(gone.status) ? gone.status : status };
  },
});
