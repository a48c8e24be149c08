import { afterAll, expect, test } from "vitest";
import { attempt, senderOver } from "#server/destinations/attempt.ts";
import { readConfig } from "#server/destinations/config.ts";
import { kindOf } from "#server/destinations/registry.ts";
import { clock } from "#server/platform/clock.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { bucketName, startS3 } from "./s3-server.ts";
import { samplePayload, sampleTrace } from "./sample.ts";

const s3 = await startS3();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(() => outbound.close());

const kind = kindOf("s3");
const { config: given, objects } = s3;
const send = senderOver(outbound);
test("a server of S3 takes the signed object, twice sent is one object, and its path is safe", async () => {
  const config = readConfig(kind, given);
  const trace = sampleTrace(
    {},
    { ...samplePayload, labels: { ...samplePayload.labels, keyName: "../a key/é" } },
  );
  for (let times = 0; times < 2; times++) {
    expect(await attempt(kind, config, [trace], send)).toEqual({ outcome: "delivered", status: 200 });
  }
  const [name = "", ...others] = objects();
  expect(others).toEqual([]);
  expect(name).toContain(`${bucketName}/llm/2026/03/.._a_key__/`);
  const stored = s3.read(name);
  expect(stored).toMatchObject({ id: trace.traceId, userId: "ada", observations: [{ id: trace.spanId }] });
});

test("its test writes and removes an empty object, and detects an unknown key", async () => {
  const exchange = { send, nowMs: clock.nowMs() };
  const before = objects();
  expect((await kind.test(readConfig(kind, given), exchange)).ok).toBe(true);
  expect(objects()).toEqual(before);
  const wrong = readConfig(kind, { ...given, accessKeyId: "AKIANOBODY" });
  expect(await kind.test(wrong, exchange)).toEqual({ ok: false, status: 403 });
});
