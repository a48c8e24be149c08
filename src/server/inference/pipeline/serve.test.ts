import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { generating } from "#server/platform/batches.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { prices } from "#test/arbitrary-usages.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { inferenceOver, keyCaller } from "#test/inference.ts";
import { chat } from "../operations/chat/operation.ts";
import type { Upstream } from "../providers/kind.ts";
import { withEnded } from "../stored-completions/store-completion.ts";
import type { InferenceDeps } from "./request-context.ts";
import { serve } from "./serve.ts";

const outbound = new Outbound(allowedHosts([]));
afterAll(() => outbound.close());

/** Inference over one upstream, with the billing calls it made. */
const inferenceWith = (at: Endpoint, upstream: Upstream) => inferenceOver([at], () => upstream, outbound);

const choice = (rest: object) => ({ index: 0, finish_reason: null, ...rest });
const delta = (content: string) => ({ choices: [choice({ delta: { content } })] });
const finish = { choices: [choice({ delta: {}, finish_reason: "stop" })] };

/** Sends all of `texts` without usage, and at the end the finish reason, if there is one. */
const saying = (texts: readonly string[], finished = true): Upstream => ({
  complete: async () => ({
    choices: [choice({ message: { role: "assistant", content: texts.join("") }, finish_reason: "stop" })],
  }),
  stream: generating(async function* () {
    for (const text of texts) yield [delta(text)];
    if (finished) yield [finish];
  }),
});

async function ask(deps: InferenceDeps, request: ChatRequest): Promise<string> {
  const call = { requestId: "r", appTitle: null, signal: new AbortController().signal };
  const { frames, body } = await serve(deps, keyCaller, chat, request, call);
  if (!frames) return JSON.stringify(body);
  let text = "";
  for await (const frame of frames) text += frame;
  return text;
}

const messages = [{ role: "user", content: "Hello" }];

describe("usage that no provider reports", () => {
  /** An image has many bytes but few tokens. */
  const asked = fc.record({
    messages: fc.array(
      fc.oneof(
        fc.string({ maxLength: 200 }).map((content) => ({ role: "user", content })),
        fc.nat({ max: 200_000 }).map((size) => ({
          role: "user",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(size)}` } }],
        })),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    max_tokens: fc.option(fc.integer({ min: 1, max: 40 })),
    n: fc.option(fc.integer({ min: 1, max: 3 })),
    stream: fc.boolean(),
  });
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 400, unit: "binary" }), {
    minLength: 1,
    maxLength: 60,
  });

  test("is never estimated above the request's limit, nor billed above the hold", async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(asked, texts, prices, fc.boolean(), async (request, said, price, finished) => {
        const at = endpoint(
          provider("theirs"),
          model("m/x", { supportedParameters: [], inputModalities: ["text", "image"] }),
          { price },
        );
        const { deps, learned } = inferenceWith(at, saying(said, finished));
        await ask(deps, ChatRequest.parse({ model: "m/x", ...request }));
        const most = (request.max_tokens ?? 4096) * (request.n ?? 1);
        const rows = [...learned.progress, ...learned.final];
        for (const row of rows) {
          expect(row.usage_estimated).toBe(true);
          expect(row.completion_tokens).toBeLessThanOrEqual(most);
          expect(BigInt(row.cost_pico_eur)).toBeLessThanOrEqual(learned.held);
        }
        for (const tokens of learned.marks) expect(tokens).toBeLessThanOrEqual(most);
        expect(learned.final).toHaveLength(1);
        expect(learned.spent).toBe(BigInt(learned.final[0]?.cost_pico_eur ?? -1));
        if (learned.final[0]?.completion_tokens === most) cut++;
      }),
      { numRuns: 400 },
    );
    // Many of these answers exceeded the limit, so the bound was really reached.
    expect(cut).toBeGreaterThan(20);
  });
});

describe("a stream", () => {
  const at = endpoint(provider("theirs"), model("m/x"));
  const request = ChatRequest.parse({ model: "m/x", messages, stream: true });

  test("records with its first content what its prompt wrote into a cache for an hour", async () => {
    const usage = {
      prompt_tokens: 300,
      prompt_tokens_details: { cache_write_tokens: 250, cache_write_1h_tokens: 200 },
    };
    const { deps, learned } = inferenceWith(at, {
      ...saying([]),
      stream: generating(async function* () {
        yield [{ ...delta("Hello"), usage }];
        yield [finish];
      }),
    });
    await ask(deps, request);
    expect(learned).toMatchObject({ cacheWriteHour: 200, progress: [{ cache_write_tokens: 250 }] });
  });

  test("closes its upstream before it sends a failure", async () => {
    const closed = vi.fn();
    const stream = generating(async function* (): AsyncGenerator<unknown[], void, undefined> {
      try {
        yield [delta("Hello")];
        yield ["no object"];
      } finally {
        closed();
      }
    });
    const { deps } = inferenceWith(at, { ...saying([]), stream });
    const call = { requestId: "r", appTitle: null, signal: new AbortController().signal };
    const { frames } = await serve(deps, keyCaller, chat, request, call);
    expect((await frames?.next())?.value).toContain("Hello");
    expect(closed).not.toHaveBeenCalled();
    expect((await frames?.next())?.value).toContain('"provider_code":"malformed"');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["with a reason", "completed", true],
    ["without one", "failed", false],
  ])("that ends %s counts as %s", async (_how, status, finished) => {
    const { deps, learned } = inferenceWith(at, saying(["Hel", "lo"], finished));
    const text = await ask(deps, request);
    expect(learned.final).toMatchObject([{ status, completion_tokens: 2 }]);
    expect(text.includes("data: [DONE]")).toBe(status === "completed");
    expect(text.includes('"provider_code":"malformed"')).toBe(status === "failed");
  });

  test("whose end cannot be recorded reports a failure instead of its end", async () => {
    for (const texts of [["Hel", "lo"], []]) {
      const { deps } = inferenceWith(at, saying(texts));
      const billing = { ...deps.billing, finish: () => Promise.reject(new Error("No space left")) };
      const text = await ask({ ...deps, billing }, request);
      expect(text.match(/"finish_reason":"/g) ?? []).toHaveLength(1);
      expect(text).toContain('"finish_reason":"error"');
      expect(text).not.toContain("[DONE]");
    }
  });
});

describe("an answer that cannot be recorded", () => {
  test("is not stored either, if it is a stream to be stored", async () => {
    const { deps } = inferenceWith(endpoint(provider("p"), model("m/x")), saying(["Hel", "lo"]));
    const billing = { ...deps.billing, finish: () => Promise.reject(new Error("No space left")) };
    const stored: (object | null)[] = [];
    const operation = withEnded(chat, (completion) => stored.push(completion));
    const request = ChatRequest.parse({ model: "m/x", messages, stream: true });
    const call = { requestId: "r", appTitle: null, signal: new AbortController().signal };
    const { frames } = await serve({ ...deps, billing }, keyCaller, operation, request, call);
    for await (const _ of frames ?? []) expect(stored.at(-1) ?? null).toBeNull();
    expect(stored.at(-1)).toBeNull();
  });

  const at = endpoint(provider("theirs"), model("m/x"));
  const refusing = (learned: { readonly final: GenerationRow[] }) => async (row: GenerationRow) => {
    learned.final.push(row);
    throw new Error("The disk is full and the database is away");
  };

  test("is not delivered if it is complete, and nothing is spent", async () => {
    const { deps, learned } = inferenceWith(at, saying(["Hello"]));
    const over = { ...deps, billing: { ...deps.billing, finish: refusing(learned) } };
    const asked = ask(over, ChatRequest.parse({ model: "m/x", messages }));
    await expect(asked).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", status: 503 });
    expect(learned.final.map(({ status }) => status)).toEqual(["completed", "failed"]);
    expect(learned.spent).toBe(0n);
  });

  test("ends as a failure if it is streamed, and never with [DONE]", async () => {
    const { deps, learned } = inferenceWith(at, saying(["Hel", "lo"]));
    const over = { ...deps, billing: { ...deps.billing, finish: refusing(learned) } };
    const text = await ask(over, ChatRequest.parse({ model: "m/x", messages, stream: true }));
    expect(text).toContain("lo");
    expect(text).not.toContain("[DONE]");
    expect(text.split('"error":{')).toHaveLength(2);
  });

  test("is streamed only as far as its progress is recorded", async () => {
    const { deps } = inferenceWith(at, saying(["Hel", "lo"]));
    const mark = () => Promise.reject(new Error("The disk is full"));
    const over = { ...deps, billing: { ...deps.billing, mark } };
    const text = await ask(over, ChatRequest.parse({ model: "m/x", messages, stream: true }));
    expect(text).toContain("Hel");
    expect(text).not.toContain('lo"');
    expect(text).not.toContain("[DONE]");
    expect(text).toContain('"code":"SERVICE_UNAVAILABLE"');
  });
});
