import { createPrivateKey, createSign } from "node:crypto";
import { z } from "zod";
import { unixSeconds } from "#server/platform/clock.ts";
import { address, identifier, secretFile } from "../fields.ts";
import { type ConfigOf, defineKind, type Exchange, succeeded, trialOf } from "../kind.ts";
import { columnsOf } from "../trace/columns.ts";

/** Whether a text is a PEM private key that can sign with `RS256`. */
function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().refine(isRsaKey),
  token_uri: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
});

function readAccount(text: string) {
  try {
    return ServiceAccount.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

const fields = {
  projectId: identifier("Project id", /^[a-z][a-z0-9:.-]{0,127}$/),
  dataset: identifier("Dataset", /^[A-Za-z0-9_]{1,128}$/),
  table: identifier("Table", /^[A-Za-z0-9_]{1,128}$/),
  serviceAccountKey: secretFile("Service account key", "The content of the JSON file.").refine(
    (text) => readAccount(text) !== null,
    "must be the JSON of a service account key with a PEM private key",
  ),
  baseUrl: address("Address").default("https://bigquery.googleapis.com"),
};
type Config = ConfigOf<typeof fields>;

const lifetimeSeconds = 3600;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Exchanges a signed statement of the service account for an access token (RFC 7523). */
async function accessToken({ serviceAccountKey }: Config, { send, nowMs }: Exchange) {
  const account = readAccount(serviceAccountKey);
  if (!account) throw new Error("The stored service account key cannot be read");
  const now = unixSeconds(nowMs);
  const claims = {
    iss: account.client_email,
    scope: "https://www.googleapis.com/auth/bigquery",
    aud: account.token_uri,
    iat: now,
    exp: now + lifetimeSeconds,
  };
  const unsigned = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  const signature = createSign("RSA-SHA256").update(unsigned).sign(account.private_key, "base64url");
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: `${unsigned}.${signature}`,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await send({ method: "POST", url: account.token_uri, headers, body: form.toString() });
  const token = /"access_token"\s*:\s*"([^"]+)"/.exec(response.body.toString())?.[1];
  return { response, token: succeeded(response.status) ? token : undefined };
}

const tableUrl = ({ baseUrl, projectId, dataset, table }: Config): string =>
  `${baseUrl}/bigquery/v2/projects/${projectId}/datasets/${dataset}/tables/${table}`;

export const bigquery = defineKind({
  type: "bigquery",
  name: "Google BigQuery",
  description: "Rows in your own BigQuery table, streamed.",
  documentationUrl: "https://cloud.google.com/bigquery/docs/reference/rest/v2/tabledata/insertAll",
  protocol: "BigQuery insertAll",
  fields,
  batchMax: 100,
  retryAlso: [408, 500],
  address: ({ baseUrl }) => ({ url: baseUrl, field: "baseUrl" }),
  async deliver(config, traces, exchange) {
    const { response, token } = await accessToken(config, exchange);
    if (!token) return succeeded(response.status) ? { ...response, status: 401 } : response;
    const rows = traces.map((trace) => ({ insertId: trace.spanId, json: columnsOf(trace) }));
    const answer = await exchange.send({
      method: "POST",
      url: `${tableUrl(config)}/insertAll`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ ignoreUnknownValues: true, rows }),
    });
    // BigQuery names refused rows in an answer of 200.
    return answer.body.includes('"insertErrors"') ? { ...answer, status: 422 } : answer;
  },
  async test(config, exchange) {
    const { response, token } = await accessToken(config, exchange);
    if (!token) return { ok: false, status: succeeded(response.status) ? 401 : response.status };
    const headers = { authorization: `Bearer ${token}` };
    return trialOf(await exchange.send({ method: "GET", url: tableUrl(config), headers }));
  },
});
