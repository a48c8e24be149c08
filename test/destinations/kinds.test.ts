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
  const told = JSON.stringify(attributesOf(trace));
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
    expect(told).toContain(`"${own(place)}"`);
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

test("the table of types in the README is that of the registry", () => {
  const table = describeTypes()
    .map(
      ({ type, name, protocol, documentation_url: url }) =>
        `| \`${type}\` | [${name}](${url}) | ${protocol} |`,
    )
    .join("\n");
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8").replaceAll(/ +\|/g, " |");
  expect(readme).toContain(table);
});
