import { expect, test } from "vitest";
import { readConfig } from "#server/destinations/config.ts";
import { whyForbidden } from "#server/destinations/forbidden-headers.ts";
import { kindOf } from "#server/destinations/registry.ts";
import { AppError } from "#server/platform/errors.ts";

/** Every forbidden header, by the reason of its refusal. */
const forbidden: Record<string, readonly string[]> = {
  "it gives access to the metadata services of clouds": [
    "Metadata",
    "Metadata-Flavor",
    "Metadata-Token",
    "X-Metadata-Token",
    "X-Metadata-Token-TTL-Seconds",
    "X-Google-Metadata-Request",
    "X-aws-ec2-metadata-token",
    "X-aws-ec2-metadata-token-ttl-seconds",
    "X-aliyun-ecs-metadata-token",
    "X-IDENTITY-HEADER",
  ],
  "it controls the connection": [
    "Host",
    "Connection",
    "Keep-Alive",
    "Upgrade",
    "Expect",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Content-Length",
    "HTTP2-Settings",
  ],
  "it describes the body": ["Content-Type", "Content-Encoding", "Content-MD5"],
  "only proxies may set the origin of a request": [
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Real-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "X-Original-URL",
    "X-Rewrite-URL",
  ],
  "it controls proxies on the way": ["Proxy-Authorization", "Proxy-Connection", "Proxy-Authenticate"],
  "it contains a browser's session": ["Cookie", "Set-Cookie"],
  "it changes the request": ["X-HTTP-Method-Override", "X-Method-Override"],
  "it signs the request": ["Webhook-Signature", "Webhook-Id"],
};
const cases = Object.entries(forbidden).flatMap(([reason, names]) => names.map((name) => ({ name, reason })));

const refusal = (headers: unknown): AppError => {
  try {
    readConfig(kindOf("otel-collector"), { endpoint: "https://otel.example.eu", headers });
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("The headers were taken");
};

test.each(cases)("$name is refused, for $reason", ({ name, reason }) => {
  for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
    expect(refusal({ "x-team": "blue", [written]: "x" })).toMatchObject({
      status: 400,
      param: `config.headers.${written}`,
      message: `config.headers.${written}: The header ${written} cannot be set: ${reason}`,
    });
    expect(refusal(`x-team=blue,${written}=x`).param).toBe(`config.headers.${written}`);
  }
});

test.each([
  "Authorization",
  "X-Api-Key",
  "X-Scope-OrgID",
  "X-Team",
  "X-Metadatabase",
  "Traceparent",
  "User-Agent",
])("%s may be set", (name) => {
  expect(whyForbidden(name)).toBeNull();
});
