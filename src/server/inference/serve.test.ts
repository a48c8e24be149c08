import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import type { Caller } from "#server/auth/caller.ts";
import type { Billing, GenerationRow } from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { CredentialVault } from "#server/credentials/index.ts";
import { clock } from "#server/platform/clock.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { createSessions, createStatistics } from "#server/policy/index.ts";
import { routerOver, subject } from "#test/arbitrary-policies.ts";
import { prices } from "#test/arbitrary-usages.ts";
import { catalogueOf, endpoint, model, provider } from "#test/catalogues.ts";
import type { InferenceParts } from "./job.ts";
import { chat } from "./operations/chat.ts";
import type { Upstream } from "./providers/kind.ts";
import { serve } from "./serve.ts";

const caller: Caller = {
  ...subject,
  kind: "key",
  keyName: "Test key",
  permissions: new Set(["routing:read"]),
  budgets: [],
  requestsPerMinute: 600,
  allowedModels: null,
};
const noVault: CredentialVault = {
  has: () => false,
  providersOf: () => new Set(),
  broughtBy: () => new Set(),
  shared: () => undefined,
  of: () => [],
};
const metrics = createMetrics();
const outbound = new Outbound(allowedHosts([]));
afterAll(() => outbound.close());

/** Inference over one upstream, and what billing learned of it. */
function inferenceOver(at: Endpoint, upstream: Upstream) {
  const learned = {
    held: 0n,
    spent: 0n,
    cacheWriteHour: 0,
    marks: [] as number[],
    progress: [] as GenerationRow[],
    final: [] as GenerationRow[],
  };
  const billing: Billing = {
    async hold(_orgId, amount) {
      learned.held = amount;
      return {
        amount,
        reduce() {},
        settle(spent) {
          learned.spent = spent;
        },
        undo() {},
      };
    },
    admit: async () => {},
    async progress(row, _price, cacheWriteHour = 0) {
      learned.progress.push(row);
      learned.cacheWriteHour = cacheWriteHour;
    },
    mark: async (_id, tokens) => void learned.marks.push(tokens),
    finish: async (row) => void learned.final.push(row),
    warm: async () => {},
    pending: () => 0,
    drain: async () => {},
    caughtUp: async () => {},
    pauseFlushing: () => () => {},
    close: async () => {},
  };
  const catalogue = catalogueOf([at]);
  const router = routerOver([at], []);
  const parts: InferenceParts = {
    billing,
    broadcast: { wants: () => false, plan: () => [] },
    catalogue: () => catalogue,
    router: () => router,
    statistics: createStatistics(clock.monotonicMs),
    sessions: createSessions(clock.monotonicMs),
    upstreams: () => upstream,
    credentials: { own: () => noVault, installation: new Set<string>() },
    outbound,
    log: silentLog,
    metrics,
  };
  return { parts, learned };
}

const choice = (rest: object) => ({ index: 0, finish_reason: null, ...rest });
const delta = (content: string) => ({ choices: [choice({ delta: { content } })] });
const finish = { choices: [choice({ delta: {}, finish_reason: "stop" })] };

/** Says all of `texts` and never what it counted. `marked` is whether it ends its stream with a word of its own. */
const saying = (texts: readonly string[], ending: { finished: boolean; marked: boolean }): Upstream => ({
  whole: async () => ({
    choices: [choice({ message: { role: "assistant", content: texts.join("") }, finish_reason: "stop" })],
  }),
  async *stream() {
    for (const text of texts) yield [delta(text)];
    if (ending.finished) yield [finish];
    return ending.marked;
  },
});

async function ask(parts: InferenceParts, request: ChatRequest): Promise<string> {
  const call = { requestId: "r", appTitle: null, signal: new AbortController().signal };
  const { frames, body } = await serve(parts, caller, chat, request, call);
  if (!frames) return JSON.stringify(body);
  let text = "";
  for await (const frame of frames) text += frame;
  return text;
}

const whole = { finished: true, marked: true };
const messages = [{ role: "user", content: "Hello" }];

describe("what no provider counted", () => {
  /** A picture's bytes are many, what it costs in tokens is not. */
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

  test("is never estimated beyond what was asked for, nor billed beyond what was held", async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(asked, texts, prices, fc.boolean(), async (request, said, price, finished) => {
        const at = endpoint(provider("theirs"), model("m/x", { supportedParameters: [] }), { price });
        const { parts, learned } = inferenceOver(at, saying(said, { finished, marked: finished }));
        await ask(parts, ChatRequest.parse({ model: "m/x", ...request }));
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
    // Many of these answers were longer than was asked for: the bound was reached, not only respected.
    expect(cut).toBeGreaterThan(20);
  });
});

describe("a stream", () => {
  const at = endpoint(provider("theirs"), model("m/x"));
  const request = ChatRequest.parse({ model: "m/x", messages, stream: true });

  test("writes down with its first content what its prompt wrote into a cache for an hour", async () => {
    const usage = {
      prompt_tokens: 300,
      prompt_tokens_details: { cache_write_tokens: 250, cache_write_1h_tokens: 200 },
    };
    const { parts, learned } = inferenceOver(at, {
      ...saying([], whole),
      async *stream() {
        yield [{ ...delta("Hello"), usage }];
        yield [finish];
        return true;
      },
    });
    await ask(parts, request);
    expect(learned).toMatchObject({ cacheWriteHour: 200, progress: [{ cache_write_tokens: 250 }] });
  });

  test.each([
    ["with the provider's word and every choice finished", "completed", whole],
    ["with the provider's word alone", "completed", { finished: false, marked: true }],
    ["with every choice finished alone", "completed", { finished: true, marked: false }],
    ["with neither", "failed", { finished: false, marked: false }],
  ])("that ends %s counts as %s", async (_how, status, ending) => {
    const { parts, learned } = inferenceOver(at, saying(["Hel", "lo"], ending));
    const text = await ask(parts, request);
    expect(learned.final).toMatchObject([{ status, completion_tokens: 2 }]);
    expect(text.includes("data: [DONE]")).toBe(status === "completed");
    expect(text.includes('"provider_code":"malformed"')).toBe(status === "failed");
  });
});

describe("an answer that nothing can record", () => {
  const at = endpoint(provider("theirs"), model("m/x"));
  const refusing = (learned: { readonly final: GenerationRow[] }) => async (row: GenerationRow) => {
    learned.final.push(row);
    throw new Error("The disk is full and the database is away");
  };

  test("is not given when it is complete, and nothing is spent", async () => {
    const { parts, learned } = inferenceOver(at, saying(["Hello"], whole));
    const over = { ...parts, billing: { ...parts.billing, finish: refusing(learned) } };
    const asked = ask(over, ChatRequest.parse({ model: "m/x", messages }));
    await expect(asked).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", status: 503 });
    expect(learned.final.map(({ status }) => status)).toEqual(["completed", "failed"]);
    expect(learned.spent).toBe(0n);
  });

  test("ends as a failure when it is streamed, and never with [DONE]", async () => {
    const { parts, learned } = inferenceOver(at, saying(["Hel", "lo"], whole));
    const over = { ...parts, billing: { ...parts.billing, finish: refusing(learned) } };
    const text = await ask(over, ChatRequest.parse({ model: "m/x", messages, stream: true }));
    expect(text).toContain("lo");
    expect(text).not.toContain("[DONE]");
    expect(text.split('"error":{')).toHaveLength(2);
  });

  test("is no further streamed than its progress is on record", async () => {
    const { parts } = inferenceOver(at, saying(["Hel", "lo"], whole));
    const mark = () => Promise.reject(new Error("The disk is full"));
    const over = { ...parts, billing: { ...parts.billing, mark } };
    const text = await ask(over, ChatRequest.parse({ model: "m/x", messages, stream: true }));
    expect(text).toContain("Hel");
    expect(text).not.toContain('lo"');
    expect(text).not.toContain("[DONE]");
    expect(text).toContain('"code":"SERVICE_UNAVAILABLE"');
  });
});
