import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { attempt } from "#server/destinations/attempt.ts";
import { readConfig } from "#server/destinations/config.ts";
import { destinationKinds } from "#server/destinations/registry.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { startKindSuite } from "./kind-suite.ts";

const { recorder, send, destinationOf } = await startKindSuite();

const ecKey = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

const account = (private_key: unknown, more: object = {}) =>
  JSON.stringify({ client_email: "a@b.iam.gserviceaccount.com", private_key, ...more });

const pem = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;

/** Texts that people paste where a secret, an address or a name is expected. */
const malformed = [
  ...[
    "",
    " ",
    "x",
    "\0",
    "\ud800",
    "line\nline",
    "ü",
    "x".repeat(8192),
    "x".repeat(8193),
    ":",
    "a:b",
    "%",
    "%zz",
  ],
  ...[
    "null",
    "{}",
    "[]",
    "whsec_",
    "whsec_!",
    `whsec_${"!".repeat(40)}`,
    `whsec_${"A".repeat(33)}=`,
    "whsec_==",
  ],
  ...[`whsec_${Buffer.alloc(32, 255).toString("base64url")}`, `whsec_ ${"A".repeat(32)}`],
  ...["https://", "http://[", "https://@x/1", "https://k:p@x/1", "ftp://k@x/1", "k@x/1", "https://%zz@x/1"],
  ...["-----BEGIN PRIVATE KEY-----", pem("AAAA"), pem("not base64 at all"), ecKey],
  ...[account("PRIVATE KEY"), account(pem("AAAA")), account(ecKey), account(1), account(null), account("")],
  ...[account(pem("AAAA"), { token_uri: "nowhere" }), '{"private_key":', "..", "-", "a".repeat(300)],
];

/** Null when the configuration is refused. */
function safely<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return null;
    throw error;
  }
}

describe.each(destinationKinds.map((kind) => [kind.type, kind] as const))("%s", (_type, kind) => {
  const { fixture, config, traces, answering } = destinationOf(kind);

  test("headers that may not be set are refused", () => {
    const given = { ...fixture.config, headers: { "x-team": "blue", "X-Metadata-Token": "1" } };
    expect(() => readConfig(kind, given)).toThrow("The header X-Metadata-Token cannot be set");
  });

  test("forbidden headers that were stored earlier are not sent", async () => {
    answering(200);
    const stored = { ...config, headers: { metadata: "true", "x-team": "blue" } };
    await attempt(kind, stored, traces, send);
    expect(recorder.seen.at(-1)?.headers).toMatchObject({ "x-team": "blue" });
    for (const { headers } of recorder.seen) expect(headers).not.toHaveProperty("metadata");
  });

  test("no field can inject a header or make one that cannot be sent", async () => {
    answering(200);
    const evil = "\r\nx-evil: 1";
    for (const [name, value] of Object.entries(fixture.config)) {
      if (typeof value !== "string") continue;
      for (const bad of [
        `${value}${evil}`,
        `x${evil}\r\n${value}`,
        `${value}\n`,
        `${value}ü`,
        `${value}項`,
      ]) {
        const parsed = safely(() => readConfig(kind, { ...fixture.config, [name]: bad }));
        if (parsed === null) continue;
        // A value that is accepted must also be deliverable.
        expect([name, bad, await attempt(kind, parsed, traces, send)]).toEqual([
          name,
          bad,
          { outcome: "delivered", status: 200 },
        ]);
      }
    }
    expect(recorder.seen.filter(({ headers }) => "x-evil" in headers)).toEqual([]);
  });

  test("a malformed value is refused with the name of its field, or it can be used", async () => {
    answering(200);
    const exchange = { send, nowMs: clock.nowMs() };
    const faults: string[] = [];
    for (const name of Object.keys(kind.config.shape).filter((field) => field !== "headers")) {
      for (const bad of malformed) {
        const given = { ...fixture.config, [name]: bad };
        try {
          const parsed = readConfig(kind, given);
          new URL(kind.address(parsed).url);
          await attempt(kind, parsed, traces, send);
          await kind.test(parsed, exchange);
        } catch (error) {
          const named = error instanceof AppError && error.status === 400 && error.param === `config.${name}`;
          if (!named) faults.push(`${name} ${JSON.stringify(bad).slice(0, 60)}: ${error}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});
