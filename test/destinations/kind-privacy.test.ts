import { describe, expect, test } from "vitest";
import { attempt } from "#server/destinations/attempt.ts";
import { hideSecrets, readConfig, splitConfig } from "#server/destinations/config.ts";
import { destinationKinds } from "#server/destinations/registry.ts";
import { attributesOf } from "#server/destinations/trace/attributes.ts";
import type { GenerationFacts, TraceLabels } from "#server/destinations/trace/facts.ts";
import { impersonalFacts, impersonalLabels } from "#server/destinations/trace/impersonal.ts";
import { spanIdOf, traceOf } from "#server/destinations/trace/trace.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { canary } from "./fixtures.ts";
import { spanIdsOf, startKindSuite } from "./kind-suite.ts";
import { sampleFacts, samplePayload, sampleTrace } from "./sample.ts";

const { recorder, send, destinationOf } = await startKindSuite();

/** One text for every field in which a client or the owner of a key may have named a person. */
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

test("personal facts are sent where that is allowed, so that their absence elsewhere means something", () => {
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

describe.each(destinationKinds.map((kind) => [kind.type, kind] as const))("%s", (type, kind) => {
  const { config, answering, deliver } = destinationOf(kind);

  test("prompts and answers are nowhere in the request in privacy mode", async () => {
    answering(200);
    const held = sampleTrace({}, { ...samplePayload, content: null });
    await attempt(kind, config, [held], send);
    for (const { body } of recorder.seen) expect(body.toString("latin1")).not.toMatch(/Rhine|Be brief|river/);
  });

  test("personal facts are nowhere in the request when the destination may not have them", async () => {
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

  test("no secret is shown or appears in the reason of a failure", async () => {
    const { plain, secrets } = splitConfig(kind, config);
    expect(JSON.stringify(plain)).not.toContain(canary);
    expect(JSON.stringify(secrets)).toContain(canary);
    expect(JSON.stringify(hideSecrets(secrets))).not.toContain(canary);
    answering(500);
    expect(JSON.stringify(await deliver())).not.toContain(canary);
    expect(readConfig(kind, config)).toEqual(config);
  });
});
