import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { eventually, startGateway, startOracle } from "./gateway-process.ts";
import { chaosSettings, freePort } from "./installation.ts";
import { expectSoundLedger } from "./sound-ledger.ts";

/** As many as one process works on at the same time. */
const slots = 8;

const overlay = (origin: string) => ({
  schema: "portolan-catalogue/1",
  providers: [{ slug: "chaos", name: "Chaos", base_url: `${origin}/fr/v1`, auth: "none" }],
  models: [{ id: "chaos/chat" }, { id: "chaos/stuck" }],
  endpoints: [
    ["chaos/chat", "sandbox/chat"],
    ["chaos/stuck", "sandbox/chat!slow:60000"],
  ].map(([model, upstream]) => ({
    provider: "chaos",
    model,
    upstream_model: upstream,
    apis: ["chat"],
    price: { currency: "EUR", input: "1", output: "1" },
  })),
});

test("kill -9: queued responses are answered after the start, those in progress have failed, answers stay stored", {
  timeout: 300_000,
}, async () => {
  const oracle = await startOracle();
  onTestFinished(() => oracle.end("SIGKILL"));
  const directory = temporaryDirectory();
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(overlay(oracle.origin)));
  const key = mintKey("ptl");
  const port = await freePort();
  const settings = {
    DATA_DIR: join(directory, "data"),
    ...chaosSettings(key, catalogFile),
  };
  const start = () => startGateway(port, settings);
  let gateway = await start();
  onTestFinished(() => gateway.end("SIGKILL"));
  const { responses } = new OpenAI({ baseURL: `${gateway.origin}/api/v1`, apiKey: key, maxRetries: 0 });
  const ask = (model: string, background: boolean) =>
    responses.create({ model, input: "Go on.", background, max_output_tokens: 16 });
  const statusOf = async (id: string) => (await responses.retrieve(id)).status;

  const stuck = await Promise.all(Array.from({ length: slots }, () => ask("chaos/stuck", true)));
  await eventually("work on all", async () => {
    const statuses = await Promise.all(stuck.map(({ id }) => statusOf(id)));
    return statuses.every((status) => status === "in_progress");
  });
  const waiting = await ask("chaos/chat", true);
  expect(await statusOf(waiting.id)).toBe("queued");
  const answered = await ask("chaos/chat", false);
  await gateway.end("SIGKILL");

  gateway = await start();
  expect((await responses.retrieve(answered.id)).output_text).toBe(answered.output_text);
  await eventually("the answer", async () => (await statusOf(waiting.id)) === "incomplete", 60_000);
  await eventually(
    "the end of the others",
    async () => {
      const statuses = await Promise.all(stuck.map(({ id }) => statusOf(id)));
      return statuses.every((status) => status === "failed");
    },
    180_000,
  );
  const failed = await responses.retrieve(stuck[0]?.id ?? "");
  expect(failed.error?.code).toBe("server_error");
  await gateway.end("SIGINT");
  expectSoundLedger(settings);
});
