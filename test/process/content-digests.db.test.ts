import { describe, expect, test, vi } from "vitest";
import { GenerationReceipt, type GenerationReceipt as Receipt } from "#contract/transparency-log.ts";
import { limits } from "#server/platform/limits.ts";
import { verifyFile } from "../../scripts/verify.mjs";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, stream: { ...limits.stream, heartbeatMs: 50 } } };
});

const server = await startTestServer({
  overlay: faultyModels({ slow: { fr: "slow:150" }, cut: { fr: "cut:3" } }),
});
const { send, services } = server;

const header = "x-portolan-digest-key";
const key = "0123456789abcdef0123456789abcdef";
const messages = [{ role: "user", content: "Grüße 👋" }];
/** What makes a body long, and nothing else. */
const blanks = " ".repeat(limits.body.yieldAboveBytes + 1);

/** How each operation is asked: short, with an answer that comes slowly, and with a long answer. */
const asked: Readonly<Record<string, readonly (readonly [path: string, body: object])[]>> = {
  chat: [
    ["/chat/completions", { model: "sandbox/chat", messages }],
    ["/chat/completions", { model: "sandbox/chat", messages, store: true }],
    ["/chat/completions", { model: "sandbox/chat", messages, stream: true }],
    ["/chat/completions", { model: "test/slow", messages, stream: true, store: true, max_tokens: 3 }],
  ],
  responses: [
    ["/responses", { model: "sandbox/chat", input: "Grüße 👋" }],
    ["/responses", { model: "test/slow", input: "x", stream: true, store: true, max_output_tokens: 3 }],
  ],
  messages: [
    ["/messages", { model: "sandbox/chat", messages, max_tokens: 9 }],
    ["/messages", { model: "test/slow", messages, stream: true, max_tokens: 3 }],
  ],
  completions: [
    ["/completions", { model: "sandbox/chat", prompt: "Grüße 👋" }],
    ["/completions", { model: "test/slow", prompt: "x", stream: true, max_tokens: 3 }],
  ],
  embeddings: [
    ["/embeddings", { model: "sandbox/embed", input: "Grüße 👋" }],
    ["/embeddings", { model: "sandbox/embed", input: Array.from({ length: 400 }, (_, at) => `text ${at}`) }],
  ],
  rerank: [["/rerank", { model: "sandbox/rerank", query: "x", documents: ["a", "b"] }]],
};

async function receiptOf(id: string | null): Promise<Receipt> {
  await services.billing.drain();
  await services.transparency.sequencer.run();
  const response = await send("GET", `/generations/${id}/receipt`);
  return GenerationReceipt.parse(await response.json());
}

interface Exchange {
  readonly request: Buffer;
  readonly answer: Buffer;
  readonly response: Response;
}

/** Sends a body as clients write it, with blanks that no parser keeps. */
async function exchange(path: string, body: object, headers: Record<string, string> = {}): Promise<Exchange> {
  const text = JSON.stringify(body, null, 1);
  const response = await send("POST", path, { body: text, headers: { [header]: key, ...headers } });
  return { request: Buffer.from(text), answer: Buffer.from(await response.arrayBuffer()), response };
}

const idOf = ({ response }: Exchange) => response.headers.get("x-generation-id");

function verified(receipt: Receipt, content: { key?: string; request?: Buffer; answer?: Buffer }) {
  return verifyFile(receipt, { keys: receipt.public_keys, content: { key, ...content } });
}

describe.each(Object.entries(asked))("%s", (_, exchanges) => {
  test.each(exchanges)(
    "%s %j: the receipt is about exactly this request and this answer",
    async (path, body) => {
      const sent = await exchange(path, body);
      expect(sent.response.status, sent.answer.toString()).toBe(200);
      const receipt = await receiptOf(idOf(sent));
      const { request, answer } = sent;
      expect(verified(receipt, { request, answer })).toEqual(
        expect.arrayContaining([
          "Proven: the request is the one of this receipt.",
          "Proven: the answer is the one of this receipt.",
        ]),
      );
      const changed = (bytes: Buffer) => Buffer.from(bytes.toString().replace(/[a-z](?=[^a-z]*$)/, "_"));
      expect(() => verified(receipt, { request: changed(request) })).toThrow(/^The request is not the one/);
      expect(() => verified(receipt, { answer: changed(answer) })).toThrow(/^The answer is not the one/);
      expect(() => verified(receipt, { request, key: key.toUpperCase() })).toThrow(
        /the key of the digests is/,
      );
    },
  );
});

test("heartbeats and comments of a slow stream are no part of its digest, and were sent", async () => {
  for (const [path, body] of [asked.chat?.[3], asked.messages?.[1]].filter((one) => one !== undefined)) {
    const { answer } = await exchange(path, body);
    expect(answer.toString()).toMatch(/^(: keep-alive|event: ping)$/m);
  }
});

test("a long body has a digest too", async () => {
  const [path, body] = asked.chat?.[0] ?? ["", {}];
  const text = JSON.stringify(body) + blanks;
  const response = await send("POST", path, { body: text, headers: { [header]: key } });
  const receipt = await receiptOf(response.headers.get("x-generation-id"));
  expect(verified(receipt, { request: Buffer.from(text) })).toContain(
    "Proven: the request is the one of this receipt.",
  );
});

test("a repeated answer has the digest of the first", async () => {
  const retry = { "idempotency-key": "again" };
  const [path, body] = asked.chat?.[2] ?? ["", {}];
  const first = await exchange(path, body, retry);
  const second = await exchange(path, body, retry);
  expect(second.response.headers.get("idempotency-replayed")).toBe("true");
  expect(verified(await receiptOf(idOf(first)), second)).toContain(
    "Proven: the answer is the one of this receipt.",
  );
});

test("a stream that failed has the digest of the request only", async () => {
  const sent = await exchange("/chat/completions", { model: "test/cut", messages, stream: true });
  expect(sent.answer.toString()).toContain('"error"');
  const receipt = await receiptOf(idOf(sent));
  expect(verified(receipt, { request: sent.request })).toContain(
    "Proven: the request is the one of this receipt.",
  );
  expect(() => verified(receipt, { answer: sent.answer })).toThrow(
    /^The receipt has no digest of the answer/,
  );
});

test("without the header a receipt names no digests, and the key is stored nowhere", async () => {
  const response = await send("POST", "/chat/completions", {
    body: JSON.stringify({ model: "sandbox/chat", messages }),
  });
  const receipt = await receiptOf(response.headers.get("x-generation-id"));
  expect(receipt.record).not.toContain("digest");
  expect(() => verified(receipt, { request: Buffer.from("x") })).toThrow(/no digest of the request/);
  const { statement } = services.database;
  const [found] = await statement<{ count: number }>(
    "select count(*)::int as count from generation where generation::text like $1",
    [`%${key}%`],
  );
  expect(found?.count).toBe(0);
});

test.each([
  ["short", "/chat/completions", { model: "sandbox/chat", messages }],
  ["a key with blanks in it is refused", "/chat/completions", { model: "sandbox/chat", messages }],
  [key, "/responses", { model: "sandbox/chat", input: "x", store: true, background: true }],
  [key, "/responses/compact", { model: "sandbox/chat", input: "x" }],
])("a key that cannot be used is refused by its name: %s, %s", async (given, path, body) => {
  const response = await server.post(path, body, { headers: { [header]: given } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { param: header, message: expect.stringContaining(header) },
  });
});
