import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { attempt, senderOver } from "#server/destinations/attempt.ts";
import { hideSecrets, readConfig, splitConfig } from "#server/destinations/config.ts";
import type { Send } from "#server/destinations/kind.ts";
import { destinationKinds } from "#server/destinations/registry.ts";
import { attributesOf } from "#server/destinations/trace/attributes.ts";
import type { GenerationFacts, TraceLabels } from "#server/destinations/trace/facts.ts";
import { impersonalFacts, impersonalLabels } from "#server/destinations/trace/impersonal.ts";
import { spanIdOf, traceOf } from "#server/destinations/trace/trace.ts";
import { describeTypes } from "#server/destinations/types.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { canary, kindFixtures } from "./fixtures.ts";
import { decodeOtlp } from "./otlp.ts";
import { type Recorded, startRecorder } from "./recorder.ts";
import { sampleFacts, samplePayload, sampleTrace } from "./sample.ts";

const [recorder, silent] = [await startRecorder(), await startRecorder()];
silent.reply = () => ({ status: 200, silent: true });
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(() => outbound.close());

const ecKey = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;
const account = (private_key: unknown, more: object = {}) =>
  JSON.stringify({ client_email: "a@b.iam.gserviceaccount.com", private_key, ...more });
const pem = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
/** What people paste where a secret, an address or a name is asked for. */
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

/** The way to every host leads to the recorder; where it should have led is kept. */
const wanted: URL[] = [];
const send: Send = (request) => {
  const url = new URL(request.url);
  wanted.push(url);
  return senderOver(outbound)({ ...request, url: recorder.origin + url.pathname + url.search });
};

beforeEach(() => {
  recorder.seen.length = 0;
  wanted.length = 0;
});

/** Null when the configuration is refused. */
function safely<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return null;
    throw error;
  }
}

const spanIdsOf = (type: string, request: Recorded): string[] => {
  const { spanIds } = kindFixtures[type] ?? {};
  if (spanIds === "otlp") {
    return decodeOtlp(request.headers["content-type"], request.body).map(({ spanId }) => spanId);
  }
  return spanIds?.(request) ?? [];
};

/** Each in every place where a client, or a key's owner, may have written of a person. */
const personal = /Ada-Personal/;
const own = (place: string) => `Ada-Personal-${place}`;
const personalFacts: Partial<GenerationFacts> = {
  request_id: own("request"),
  user_id: own("user"),
  api_key_id: own("key"),
  user_reference: own("reference"),
  session_id: own("session"),
  app_title: own("app"),
  parameters: { temperature: 0.5, stop: own("stop"), models: [own("model")] },
};
const personalLabels: TraceLabels = {
  keyName: own("key-name"),
  workspaceId: null,
  metadata: { ticket: own("metadata"), [own("name")]: { inner: own("inner") } },
  traceId: own("trace"),
  parentSpanId: own("parent"),
  traceName: own("trace-name"),
  spanName: own("span-name"),
  generationName: own("generation-name"),
};

test("every fact of a person is seen where it may be told, so that one that is left out is left out by intent", () => {
  const trace = traceOf(uuidv7(), sampleFacts(personalFacts), { labels: personalLabels, content: null });
  const reported = JSON.stringify(attributesOf(trace));
  for (const place of [
    "request",
    "key",
    "reference",
    "session",
    "app",
    "key-name",
    "metadata",
    "trace",
    "parent",
  ])
    expect(reported).toContain(`"${own(place)}"`);
});

test("every type has its fixture, and no fixture is without its type", () => {
  expect(Object.keys(kindFixtures).sort()).toEqual(destinationKinds.map(({ type }) => type).sort());
});

describe.each(destinationKinds.map((kind) => [kind.type, kind] as const))("%s", (type, kind) => {
  const fixture = kindFixtures[type];
  if (!fixture) throw new Error(`test/destinations/fixtures.ts has no row for ${type}`);
  const config = readConfig(kind, fixture.config);
  const traces = [
    sampleTrace(),
    sampleTrace({
      id: "0190a000-0000-7000-8000-00000000dcba",
      status: "failed",
      error_code: "PROVIDER_ERROR",
    }),
  ].slice(0, kind.batchMax);
  /** Steps before the one that counts succeed; that one is answered by the test. */
  const answering = (status: number, headers: Record<string, string> = {}) => {
    recorder.reply = ({ url }) => {
      const body = fixture.replies?.[url];
      return body === undefined ? { status, headers, body: "{}" } : { status: 200, body };
    };
  };
  const deliver = () => attempt(kind, config, traces, send);

  test("traces go where its documents say, as whom they say, in the form they say", async () => {
    answering(200);
    expect(await deliver()).toEqual({ outcome: "delivered", status: 200 });
    const request = recorder.seen.at(-1);
    const expected = fixture.url.replace(/\*$/, "");
    expect(wanted.at(-1)?.href.slice(0, expected.length)).toBe(expected);
    expect(request?.method).toBe(fixture.method ?? "POST");
    for (const [name, value] of Object.entries(fixture.headers)) {
      expect([name, request?.headers[name]]).toEqual([
        name,
        value instanceof RegExp ? expect.stringMatching(value) : value,
      ]);
    }
    expect(request && spanIdsOf(type, request)).toEqual(traces.map(({ spanId }) => spanId));
    expect(request?.body.toString("latin1")).toContain("The Rhine.");
  });

  test("what was said is nowhere in the request when it is held back", async () => {
    answering(200);
    const held = sampleTrace({}, { ...samplePayload, content: null });
    await attempt(kind, config, [held], send);
    for (const { body } of recorder.seen) expect(body.toString("latin1")).not.toMatch(/Rhine|Be brief|river/);
  });

  test("what tells of a person is nowhere in the request when that has to stay elsewhere", async () => {
    answering(200);
    const facts = impersonalFacts(sampleFacts(personalFacts));
    const labels = impersonalLabels(personalLabels);
    await attempt(kind, config, [traceOf(uuidv7(), facts, { labels, content: null })], send);
    expect(recorder.seen.length).toBeGreaterThan(0);
    for (const { url, headers, body } of recorder.seen) {
      const sent = `${url} ${JSON.stringify(headers)} ${body.toString("latin1")}`;
      expect(sent).not.toMatch(personal);
      expect(sent).not.toMatch(/Rhine|Be brief|river/);
    }
    const [request] = recorder.seen.slice(-1);
    expect(request && spanIdsOf(type, request)).toEqual([spanIdOf(facts.id)]);
  });

  test("headers that nobody may set are refused", () => {
    const given = { ...fixture.config, headers: { "x-team": "blue", "X-Metadata-Token": "1" } };
    expect(() => readConfig(kind, given)).toThrow("The header X-Metadata-Token cannot be set");
  });

  test("headers that were stored before they were forbidden are not sent", async () => {
    answering(200);
    const stored = { ...config, headers: { metadata: "true", "x-team": "blue" } };
    await attempt(kind, stored, traces, send);
    expect(recorder.seen.at(-1)?.headers).toMatchObject({ "x-team": "blue" });
    for (const { headers } of recorder.seen) expect(headers).not.toHaveProperty("metadata");
  });

  test.each([
    [429, "later", 7000],
    [502, "later", 7000],
    [503, "later", 7000],
    [504, "later", 7000],
    [401, "never", null],
    [404, "never", null],
    [301, "never", null],
    [308, "never", null],
    [410, "gone", null],
  ])("an answer of %i means %s", async (status, outcome, retryAfterMs) => {
    answering(status, { "retry-after": "7", location: `${recorder.origin}/elsewhere` });
    expect(await deliver()).toMatchObject({ outcome, status, retryAfterMs });
    expect(recorder.seen.map(({ url }) => url)).not.toContain("/elsewhere");
  });

  test("a connection that breaks is tried again later", async () => {
    const broken: Send = (request) => senderOver(outbound)({ ...request, url: "http://127.0.0.1:1/" });
    expect(await attempt(kind, config, traces, broken)).toMatchObject({ outcome: "later", status: null });
  });

  test("no answer in time is a reason to try again later", async () => {
    const patient = (request: Parameters<Send>[0]) =>
      senderOver(outbound, undefined, { requestTimeoutMs: 50 })({ ...request, url: silent.origin });
    expect(await attempt(kind, config, traces, patient)).toEqual({
      outcome: "later",
      status: null,
      reason: "No answer came in time",
      retryAfterMs: null,
    });
  });

  test("a test holds nobody's data and says whether traces would arrive", async () => {
    answering(200);
    const exchange = { send, nowMs: clock.nowMs() };
    expect(await kind.test(config, exchange)).toEqual({ ok: true, status: 200 });
    expect(recorder.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(fixture.test);
    for (const { body } of recorder.seen) expect(body.toString("latin1")).not.toContain("Rhine");
    answering(401);
    expect((await kind.test(config, exchange)).ok).toBe(false);
  });

  test("no field's value makes a header of its own, or one that cannot be sent", async () => {
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
        // What is taken is sent: its characters are no reason to fail.
        expect([name, bad, await attempt(kind, parsed, traces, send)]).toEqual([
          name,
          bad,
          { outcome: "delivered", status: 200 },
        ]);
      }
    }
    expect(recorder.seen.filter(({ headers }) => "x-evil" in headers)).toEqual([]);
  });

  test.runIf(fixture.spanIds === "otlp")(
    "what a receiver refused of what it accepted is not delivered",
    async () => {
      const say = (headers: Record<string, string>, body: string | Buffer) => {
        recorder.reply = () => ({ status: 200, headers, body });
        return deliver();
      };
      const json = { "content-type": "application/json; charset=utf-8" };
      const protobuf = { "content-type": "application/x-protobuf" };
      const inJson = (rejectedSpans: unknown) =>
        say(
          json,
          JSON.stringify({ partialSuccess: { rejectedSpans, errorMessage: `${canary} is too long` } }),
        );
      /** ExportTraceServiceResponse: in field 1 the count as field 1, a varint, and the message as field 2. */
      const inProtobuf = (count: readonly number[]) =>
        say(protobuf, Buffer.from([0x0a, count.length + 6, 0x08, ...count, 0x12, 3, ...Buffer.from("bad")]));
      const spans = traces.length;
      const all = (count = spans) => ({
        outcome: "never",
        status: 200,
        reason: `Answered 200, and refused ${count} of the ${spans} spans of the request`,
        retryAfterMs: null,
      });
      for (const count of [spans, String(spans), spans + 1]) expect(await inJson(count)).toEqual(all());
      expect(await inProtobuf([spans])).toEqual(all());
      expect(await inProtobuf([0xac, 0x02])).toEqual(all());
      if (spans > 1) {
        const partly = { ...all(1), outcome: "partly", reason: `${all(1).reason}, without saying which` };
        expect([await inJson(1), await inProtobuf([1])]).toMatchObject(
          [partly, partly].map(({ retryAfterMs: _, ...rest }) => rest),
        );
      }
      const delivered = { outcome: "delivered", status: 200 };
      for (const none of [0, "0", null, -1, "x"]) expect(await inJson(none)).toEqual(delivered);
      for (const odd of ["", "OK", "null", "[]", "{", '{"partialSuccess":null}', '{"partialSuccess":{}}'])
        expect(await say(json, odd)).toEqual(delivered);
      for (const odd of [
        Buffer.from("hello"),
        Buffer.alloc(0),
        Buffer.from([0x0a, 0xff]),
        Buffer.from([0x0a, 0]),
      ])
        expect(await say(protobuf, odd)).toEqual(delivered);
    },
  );

  test("of a malformed value, a secret's above all, the field is named, or it can be used", async () => {
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

  test("no secret is in what is shown, in reasons, or in the schema for forms", async () => {
    const { plain, secrets } = splitConfig(kind, config);
    expect(JSON.stringify(plain)).not.toContain(canary);
    expect(JSON.stringify(secrets)).toContain(canary);
    expect(JSON.stringify(hideSecrets(secrets))).not.toContain(canary);
    answering(500);
    expect(JSON.stringify(await deliver())).not.toContain(canary);
    expect(readConfig(kind, config)).toEqual(config);
  });
});

test("the table of types in docs/destinations.md is that of the registry", () => {
  const table = describeTypes()
    .map(
      ({ type, name, protocol, documentation_url: url }) =>
        `| \`${type}\` | [${name}](${url}) | ${protocol} |`,
    )
    .join("\n");
  const page = readFileSync(new URL("../../docs/destinations.md", import.meta.url), "utf8");
  expect(page.replaceAll(/ +\|/g, " |")).toContain(table);
});
