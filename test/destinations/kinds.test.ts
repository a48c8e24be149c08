import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { attempt, senderOver } from "#server/destinations/attempt.ts";
import type { Send } from "#server/destinations/kind.ts";
import { destinationKinds } from "#server/destinations/registry.ts";
import { describeTypes } from "#server/destinations/types.ts";
import { clock } from "#server/platform/clock.ts";
import { canary, kindFixtures } from "./fixtures.ts";
import { spanIdsOf, startKindSuite } from "./kind-suite.ts";
import { startRecorder } from "./recorder.ts";

const { recorder, outbound, wanted, send, destinationOf } = await startKindSuite();
const silent = await startRecorder();

silent.reply = () => ({ status: 200, silent: true });

test("every type has a fixture, and every fixture a type", () => {
  expect(Object.keys(kindFixtures).sort()).toEqual(destinationKinds.map(({ type }) => type).sort());
});

describe.each(destinationKinds.map((kind) => [kind.type, kind] as const))("%s", (type, kind) => {
  const { fixture, config, traces, answering, deliver } = destinationOf(kind);

  test("traces are sent to the documented address, with the documented credentials and form", async () => {
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

  test("a missing answer is tried again later", async () => {
    const patient = (request: Parameters<Send>[0]) =>
      senderOver(outbound, undefined, { requestTimeoutMs: 50 })({ ...request, url: silent.origin });
    expect(await attempt(kind, config, traces, patient)).toEqual({
      outcome: "later",
      status: null,
      reason: "No answer came in time",
      retryAfterMs: null,
    });
  });

  test("a test sends no user data and reports whether traces would arrive", async () => {
    answering(200);
    const exchange = { send, nowMs: clock.nowMs() };
    expect(await kind.test(config, exchange)).toEqual({ ok: true, status: 200 });
    expect(recorder.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(fixture.test);
    for (const { body } of recorder.seen) expect(body.toString("latin1")).not.toContain("Rhine");
    answering(401);
    expect((await kind.test(config, exchange)).ok).toBe(false);
  });

  test.runIf(fixture.spanIds === "otlp")(
    "spans that a receiver refuses in a successful answer are not delivered",
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
});

test("the table of types in docs/destinations.md matches the registry", () => {
  const table = describeTypes()
    .map(
      ({ type, name, protocol, documentation_url: url }) =>
        `| \`${type}\` | [${name}](${url}) | ${protocol} |`,
    )
    .join("\n");
  const page = readFileSync(new URL("../../docs/destinations.md", import.meta.url), "utf8");
  expect(page.replaceAll(/ +\|/g, " |")).toContain(table);
});
