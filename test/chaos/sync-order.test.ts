import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { chaosOverlay, chaosSettings, freePort } from "./installation.ts";
import { expectSoundLedger } from "./sound-ledger.ts";
import { readSyncOrder, traced, whyNoTrace } from "./sync-order.ts";

/** `npm run test:chaos` takes the long form. */
const requests = process.env.CHAOS === "long" ? 1_000 : 100;
const atOnce = 8;
const lacking = whyNoTrace();

/** Sends `count` requests, every other one a stream, and returns the generations whose answers came whole. */
async function ask(origin: string, key: string, count: number): Promise<Set<string>> {
  const ids = new Set<string>();
  let next = 0;
  const client = async () => {
    for (let number = next++; number < count; number = next++) {
      const response = await fetch(`${origin}/api/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "chaos/flat",
          messages: [{ role: "user", content: `Number ${number}` }],
          max_tokens: 4,
          stream: number % 2 === 1,
        }),
      });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("usage");
      ids.add(response.headers.get("x-generation-id") ?? "");
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return ids;
}

/** The answers of a gateway with this SPOOL_SYNC, and the order of its system calls. */
async function traceAnswers(sync: "power" | "process", count: number) {
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const [catalogFile, traceFile] = [join(directory, "overlay.json"), join(directory, "trace")];
  writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
  const key = mintKey("ptl");
  const port = await freePort();
  const settings = {
    DATA_DIR: join(directory, "data"),
    SPOOL_SYNC: sync,
    ...chaosSettings(key, catalogFile),
  };
  const gateway = await startGateway(port, settings, { under: traced(traceFile) });
  onTestFinished(() => gateway.end("SIGKILL"));
  const answered = await ask(gateway.origin, key, count);
  await gateway.end("SIGINT");
  const end = new RegExp(`^${gateway.child.pid} +\\+\\+\\+ (exited|killed)`, "m");
  await eventually("the end of the trace", async () =>
    end.test(readFileSync(traceFile, "utf8").slice(-4096)),
  );
  expectSoundLedger(settings);
  return { answered, order: await readSyncOrder(traceFile, port) };
}

describe.skipIf(lacking !== null)(`system calls${lacking === null ? "" : `: LEFT OUT, ${lacking}`}`, () => {
  test(`with SPOOL_SYNC=power the end of ${requests} of ${requests} answers goes out after its record was synced`, {
    timeout: 600_000,
  }, async () => {
    const { answered, order } = await traceAnswers("power", requests);
    expect(answered.size).toBe(requests);
    expect(order.answers).toEqual(answered);
    expect(order.streams.size).toBe(requests / 2);
    expect([...order.early]).toEqual([]);
    console.log(
      `${order.answers.size} answers, ${order.streams.size} of them streams: synced first ${requests}`,
    );
  });

  test("with SPOOL_SYNC=process the trace shows that they go out before, so that the test above can fail", {
    timeout: 120_000,
  }, async () => {
    const { answered, order } = await traceAnswers("process", 16);
    expect(order.answers).toEqual(answered);
    expect(order.early.size).toBeGreaterThan(8);
  });
});
