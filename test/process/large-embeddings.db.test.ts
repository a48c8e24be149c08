import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { startTestServer } from "./server.ts";

const inputs = 2048;
const dimensions = 1536;
/** Much below what anybody notices; a whole parse of these answers takes a second. */
const heldUpMsMax = 100;

/**
 * A provider on a thread of its own, so that making its answer holds up nobody here: `floats` and `base64` say in
 * what format it gives its vectors, whatever it is asked for.
 */
const provider = `
  const { createServer } = require("node:http");
  const { parentPort } = require("node:worker_threads");
  const vector = (at) => Array.from({ length: ${dimensions} }, (_, place) => Math.sin(at * 31 + place) / 16);
  const answer = (written) => {
    const entry = (_, at) => '{"object":"embedding","index":' + at + ',"embedding":' + written(vector(at)) + "}";
    const data = Array.from({ length: ${inputs} }, entry).join(",");
    return Buffer.from('{"object":"list","data":[' + data + '],"model":"m","usage":{"prompt_tokens":4096,"total_tokens":4096}}');
  };
  const answers = {
    floats: answer((numbers) => "[" + numbers.map((number) => number.toFixed(10)).join(",") + "]"),
    base64: answer((numbers) => '"' + Buffer.from(new Float32Array(numbers).buffer).toString("base64") + '"'),
  };
  createServer((request, response) => {
    const read = [];
    request.on("data", (chunk) => read.push(chunk));
    request.on("end", () => {
      const { model } = JSON.parse(Buffer.concat(read));
      response.writeHead(200, { "content-type": "application/json" }).end(answers[model]);
    });
  }).listen(0, "127.0.0.1", function () {
    parentPort.postMessage(this.address().port);
  });
`;

/** A client on its own thread; reports a summary of its answer without transferring it. */
const client = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", async ({ url, key, model, input, format }) => {
    const body = JSON.stringify({ model, input, encoding_format: format });
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { authorization: "Bearer " + key, "content-type": "application/json" },
    });
    const text = await response.text();
    const { data = [], usage, error } = JSON.parse(text);
    const vector = ({ embedding }) =>
      typeof embedding === "string" ? new Float32Array(Uint8Array.fromBase64(embedding).buffer) : embedding;
    const right = data.every((entry, at) => {
      const numbers = vector(entry);
      return (
        entry.index === at &&
        (typeof entry.embedding === "string") === (format === "base64") &&
        numbers.length === ${dimensions} &&
        numbers.every((number, place) => Math.abs(number - Math.sin(at * 31 + place) / 16) < 1e-7)
      );
    });
    const id = response.headers.get("x-generation-id");
    parentPort.postMessage({ status: response.status, sent: Buffer.byteLength(body), bytes: text.length, count: data.length, right, usage, error, id });
  });
`;

const workers = [provider, client].map((code) => new Worker(code, { eval: true }));
const [upstream, asking] = workers as [Worker, Worker];
afterAll(() => Promise.all(workers.map((worker) => worker.terminate())));
const [port] = (await once(upstream, "message")) as [number];

const models = ["floats", "base64"];
const server = await startTestServer({
  settings: { OWN_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  overlay: {
    providers: [{ slug: "own", name: "Own", base_url: `http://127.0.0.1:${port}/v1`, datacenters: ["DE"] }],
    models: models.map((name) => ({ id: `own/${name}`, type: "embedding" })),
    endpoints: models.map((name) => ({
      provider: "own",
      model: `own/${name}`,
      upstream_model: name,
      price: { currency: "EUR", input: "1", output: "0" },
    })),
  },
});

interface Got {
  readonly status: number;
  readonly sent: number;
  readonly bytes: number;
  readonly count: number;
  readonly right: boolean;
  readonly usage?: { readonly prompt_tokens: number; readonly cost_eur: number };
  readonly error?: unknown;
  readonly id: string;
}

/** Milliseconds of this thread's processor: what others do on a busy machine does not count. */
const busyMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** What the client got, and for how long at a time nothing else could be done here meanwhile. */
async function asked(model: string, input: unknown, format: string) {
  let got: Got | undefined;
  asking.once("message", (value: Got) => {
    got = value;
  });
  asking.postMessage({ url: `${server.origin}/api/v1/embeddings`, key: server.key, model, input, format });
  let heldUpMs = 0;
  for (let since = busyMs(); !got; ) {
    await turn();
    const now = busyMs();
    heldUpMs = Math.max(heldUpMs, now - since);
    since = now;
  }
  return { got, heldUpMs };
}

const short = Array.from({ length: inputs }, (_, at) => `input ${at}`);
await asked("own/floats", "warm", "float");

test.each([
  ["floats", "float"],
  ["floats", "base64"],
  ["base64", "base64"],
  ["base64", "float"],
])(
  `${inputs} vectors received as %s and sent as %s delay nobody else, and are billed exactly`,
  async (given, format) => {
    const { got, heldUpMs } = await asked(`own/${given}`, short, format);
    expect(got).toMatchObject({ status: 200, count: inputs, right: true, usage: { prompt_tokens: 4096 } });
    expect(heldUpMs).toBeLessThan(heldUpMsMax);
    const row = await server.record(got.id);
    expect(row).toMatchObject({ status: "completed", prompt_tokens: 4096, usage_estimated: false });
    expect(row.cost_pico_eur).toBe(4096n * 1_000_000n);
  },
);

/** Nearly as much as a request may have: `one` is an input, of which there are `count`. */
const largest = <T>(one: (length: number) => T, bytesEach: number, count: number): T[] =>
  Array.from({ length: count }, () => one(Math.floor(limits.body.embeddingBytesMax / count / bytesEach) - 4));
const tokens = (count: number) => Array.from({ length: count }, (_, at) => 100_000 + (at % 90_000));

describe("the largest request", () => {
  test.each([
    ["one text", "a word ".repeat(limits.body.embeddingBytesMax / 7 - 20)],
    ["texts", largest((length) => "Größe ".repeat(length), 8, inputs)],
    ["tokens", tokens(limits.body.embeddingBytesMax / 7 - 20)],
    ["lists of tokens", largest(tokens, 7, inputs)],
  ])("of %s delays nobody else", async (_of, input) => {
    const { got, heldUpMs } = await asked("own/base64", input, "base64");
    // The provider gives as many vectors as it always does, which is right for as many inputs only.
    expect(got.status).toBe(Array.isArray(input) && input.length === inputs ? 200 : 502);
    expect(got.sent).toBeGreaterThan(limits.body.embeddingBytesMax * 0.95);
    expect(heldUpMs).toBeLessThan(heldUpMsMax);
  });

  test("is refused with the maximum size if it is larger", async () => {
    const { got } = await asked("own/base64", "a".repeat(limits.body.embeddingBytesMax), "float");
    expect(got).toMatchObject({
      status: 413,
      error: { code: "PAYLOAD_TOO_LARGE", metadata: { bytes_max: limits.body.embeddingBytesMax } },
    });
  });
});
