import { generateKeyPairSync } from "node:crypto";
import type { Recorded } from "./recorder.ts";

/** Stands in every secret, so that a leak is seen wherever it is. */
export const canary = "canary-7f3a91c2";

const json = ({ body }: Recorded) => JSON.parse(body.toString());
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const basic = (user: string) => `Basic ${Buffer.from(`${user}:${canary}`).toString("base64")}`;

export interface KindFixture {
  readonly config: Record<string, unknown>;
  /** Where the traces go by default, and by which headers we are known there. */
  readonly url: string;
  readonly method?: string;
  readonly headers: Record<string, unknown>;
  /** Answers before the one that counts, by path. */
  readonly replies?: Record<string, string>;
  /** `otlp`, or what the tool's own protocol asks for: ids of generations in the request. */
  readonly spanIds: "otlp" | ((request: Recorded) => string[]);
  /** Requests a test makes, in order. */
  readonly test: readonly string[];
}

const otlpTest = (path: string) => [`POST ${path}`];
const rows = (request: Recorded) =>
  request.body
    .toString()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);

/** One row for each type: what its documents ask for. A type without a row fails the suite. */
export const kindFixtures: Record<string, KindFixture> = {
  webhook: {
    config: { url: "https://hooks.example.eu/in", apiKey: canary },
    url: "https://hooks.example.eu/in",
    headers: { authorization: `Bearer ${canary}`, "content-type": "application/json" },
    spanIds: "otlp",
    test: otlpTest("/in"),
  },
  "otel-collector": {
    config: { endpoint: "https://otel.example.eu", headers: `authorization=Bearer ${canary}` },
    url: "https://otel.example.eu/v1/traces",
    headers: { authorization: `Bearer ${canary}`, "content-type": "application/json" },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  langfuse: {
    config: { publicKey: "pk", secretKey: canary },
    url: "https://cloud.langfuse.com/api/public/otel/v1/traces",
    headers: { authorization: basic("pk"), "x-langfuse-ingestion-version": "4" },
    spanIds: "otlp",
    test: otlpTest("/api/public/otel/v1/traces"),
  },
  langsmith: {
    config: { apiKey: canary, project: "p", workspaceId: "w" },
    url: "https://eu.api.smith.langchain.com/otel/v1/traces",
    headers: { "x-api-key": canary, "langsmith-project": "p", "x-tenant-id": "w" },
    spanIds: "otlp",
    test: otlpTest("/otel/v1/traces"),
  },
  datadog: {
    config: { apiKey: canary, mlApp: "My-App" },
    url: "https://api.datadoghq.eu/api/intake/llm-obs/v1/trace/spans",
    headers: { "dd-api-key": canary, "content-type": "application/json" },
    spanIds: (request) => {
      const { data } = json(request);
      const { attributes } = data;
      if (data.type !== "span" || attributes.ml_app !== "my-app") throw new Error("not Datadog's form");
      return attributes.spans.map((span: { span_id: string }) => span.span_id);
    },
    test: ["GET /api/v1/validate"],
  },
  braintrust: {
    config: { apiKey: canary, projectId: "p-1" },
    url: "https://api-eu.braintrust.dev/otel/v1/traces",
    headers: { authorization: `Bearer ${canary}`, "x-bt-parent": "project_id:p-1" },
    spanIds: "otlp",
    test: otlpTest("/otel/v1/traces"),
  },
  posthog: {
    config: { apiKey: canary },
    url: "https://eu.i.posthog.com/batch/",
    headers: { "content-type": "application/json" },
    spanIds: (request) => {
      const { api_key, batch } = json(request);
      if (api_key !== canary) throw new Error("no key");
      return batch.map((event: { event: string; uuid: string; properties: Record<string, string> }) => {
        if (event.event !== "$ai_generation" || !event.uuid) throw new Error("not PostHog's form");
        return event.properties.$ai_span_id;
      });
    },
    test: ["POST /batch/"],
  },
  s3: {
    config: { bucketName: "traces-bucket", accessKeyId: "AKIA", secretAccessKey: canary },
    url: "https://traces-bucket.s3.eu-central-1.amazonaws.com/traces/2026-03-04/*",
    method: "PUT",
    headers: { authorization: /^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-central-1\/s3\/aws4_request, / },
    spanIds: (request) => [json(request).observations[0].id],
    test: ["PUT /.connection-test", "DELETE /.connection-test"],
  },
  clickhouse: {
    config: { host: "https://ch.example.eu", database: "obs", username: "u", password: canary },
    url: "https://ch.example.eu/?database=obs&query=INSERT+INTO+%60LLM_TRACES%60+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1&async_insert=1&wait_for_async_insert=1",
    headers: { "x-clickhouse-user": "u", "x-clickhouse-key": canary },
    spanIds: (request) => rows(request).map(({ SPAN_ID = "" }) => SPAN_ID),
    replies: { "/?database=obs&query=EXISTS+TABLE+%60LLM_TRACES%60": "1\n" },
    test: ["GET /ping", "POST /?database=obs&query=EXISTS+TABLE+%60LLM_TRACES%60"],
  },
  snowflake: {
    config: { account: "org-acc", token: canary },
    url: "https://org-acc.snowflakecomputing.com/api/v2/statements",
    headers: {
      authorization: `Bearer ${canary}`,
      "x-snowflake-authorization-token-type": "PROGRAMMATIC_ACCESS_TOKEN",
    },
    spanIds: (request) => {
      const { statement, bindings } = json(request);
      if (!/^INSERT INTO LLM_TRACES \(TRACE_ID, .*\) SELECT .*PARSE_JSON\(\?\)\)\)$/.test(statement))
        throw new Error("not the statement");
      return JSON.parse(bindings["1"].value).map((row: { SPAN_ID: string }) => row.SPAN_ID);
    },
    test: ["POST /api/v2/statements"],
  },
  bigquery: {
    config: {
      projectId: "proj",
      dataset: "obs",
      table: "traces",
      serviceAccountKey: JSON.stringify({
        client_email: "p@proj.iam.gserviceaccount.com",
        private_key: privateKey,
        private_key_id: canary,
      }),
    },
    url: "https://bigquery.googleapis.com/bigquery/v2/projects/proj/datasets/obs/tables/traces/insertAll",
    headers: { authorization: "Bearer token-1" },
    replies: { "/token": '{"access_token":"token-1","expires_in":3599}' },
    spanIds: (request) => json(request).rows.map((row: { insertId: string }) => row.insertId),
    test: ["POST /token", "GET /bigquery/v2/projects/proj/datasets/obs/tables/traces"],
  },
  sentry: {
    config: {
      dsn: `https://${canary}@o1.ingest.de.sentry.io/2`,
      otlpEndpoint: "https://o1.ingest.de.sentry.io/api/2/integration/otlp/v1/traces",
    },
    url: "https://o1.ingest.de.sentry.io/api/2/integration/otlp/v1/traces",
    headers: { "x-sentry-auth": `sentry sentry_key=${canary}` },
    spanIds: "otlp",
    test: otlpTest("/api/2/integration/otlp/v1/traces"),
  },
  grafana: {
    config: { apiKey: canary, instanceId: "77", baseUrl: "https://otlp-gateway-prod-eu-west-2.grafana.net" },
    url: "https://otlp-gateway-prod-eu-west-2.grafana.net/otlp/v1/traces",
    headers: { authorization: basic("77") },
    spanIds: "otlp",
    test: otlpTest("/otlp/v1/traces"),
  },
  newrelic: {
    config: { licenseKey: canary },
    url: "https://otlp.eu01.nr-data.net/v1/traces",
    headers: { "api-key": canary, "content-type": "application/x-protobuf" },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  arize: {
    config: { apiKey: canary, spaceKey: "space", modelId: "project" },
    url: "https://otlp.arize.com/v1/traces",
    headers: {
      "arize-api-key": canary,
      "arize-space-id": "space",
      api_key: canary,
      space_id: "space",
      "content-type": "application/x-protobuf",
    },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  opik: {
    config: { apiKey: canary, workspace: "w", projectName: "p" },
    url: "https://www.comet.com/opik/api/v1/private/otel/v1/traces",
    headers: { authorization: canary, "comet-workspace": "w", projectname: "p" },
    spanIds: "otlp",
    test: otlpTest("/opik/api/v1/private/otel/v1/traces"),
  },
  weave: {
    config: { apiKey: canary, entity: "team", project: "llm" },
    url: "https://trace.wandb.ai/otel/v1/traces",
    headers: { "wandb-api-key": canary, "content-type": "application/x-protobuf" },
    spanIds: "otlp",
    test: otlpTest("/otel/v1/traces"),
  },
  dynatrace: {
    config: { environmentUrl: "https://abc.live.dynatrace.com", apiToken: canary },
    url: "https://abc.live.dynatrace.com/api/v2/otlp/v1/traces",
    headers: { authorization: `Api-Token ${canary}`, "content-type": "application/x-protobuf" },
    spanIds: "otlp",
    test: otlpTest("/api/v2/otlp/v1/traces"),
  },
  axiom: {
    config: { apiToken: canary, dataset: "traces" },
    url: "https://api.axiom.co/v1/traces",
    headers: { authorization: `Bearer ${canary}`, "x-axiom-dataset": "traces" },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  honeycomb: {
    config: { apiKey: canary, dataset: "llm" },
    url: "https://api.eu1.honeycomb.io/v1/traces",
    headers: {
      "x-honeycomb-team": canary,
      "x-honeycomb-dataset": "llm",
      "content-type": "application/x-protobuf",
    },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  signoz: {
    config: { ingestionKey: canary },
    url: "https://ingest.eu.signoz.cloud/v1/traces",
    headers: { "signoz-ingestion-key": canary, "content-type": "application/x-protobuf" },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
  ramp: {
    config: { apiKey: canary, baseUrl: "https://otel.ramp.example" },
    url: "https://otel.ramp.example/v1/traces",
    headers: { authorization: `Bearer ${canary}` },
    spanIds: "otlp",
    test: otlpTest("/v1/traces"),
  },
};
