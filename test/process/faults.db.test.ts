import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { faultyModels } from "./overlay.ts";
import { eventsOf, startTestServer } from "./server.ts";

/** What goes wrong before the first content, and the word for it in the attempts. */
const before = {
  refuse: "refused",
  "500": "server_error",
  "503": "overloaded",
  overloaded: "overloaded",
  "429": "rate_limited",
  "401": "credential",
  "404": "model_missing",
  "error-200": "server_error",
  malformed: "malformed",
  empty: "malformed",
  html: "malformed",
} as const;
type Before = keyof typeof before;
const beforeFaults = Object.entries(before) as [Before, string][];
const slugOf = (fault: string) => fault.replace(":", "-");

/** An endpoint that failed is left alone for a while, so each kind of request meets endpoints of its own. */
const wayOf = (stream: boolean): string => (stream ? "streamed" : "whole");
const failingFirst = (way: string) => ({
  ...Object.fromEntries(
    beforeFaults.map(([fault]) => [`one-${fault}-${way}`, { fr: fault, de: "ok" } as const]),
  ),
  [`two-${way}`]: { fr: "refuse", de: "503", us: "ok" } as const,
  [`all-500-${way}`]: { fr: "500", de: "500", us: "500" } as const,
  [`all-429-${way}`]: { fr: "429:7", de: "429:7" } as const,
  [`all-refuse-${way}`]: { fr: "refuse" } as const,
  [`last-503-${way}`]: { fr: "500", de: "503" } as const,
  [`alone-${way}`]: { fr: "500", de: "ok" } as const,
});

const server = await startTestServer({
  overlay: faultyModels({
    ...failingFirst("whole"),
    ...failingFirst("streamed"),
    "cut-3-whole": { fr: "cut:3", de: "ok" },
    ...Object.fromEntries(
      ["cut:3", "error-midway:3", "malformed:3", "no-done", "no-usage", "wrong-usage", "double-usage"].map(
        (fault) => [slugOf(fault), { fr: fault as "cut:3", de: "ok" }],
      ),
    ),
    "huge-line": { fr: "huge-line:1200000", de: "ok" },
    slow: { fr: "slow:5" },
  }),
});
const { post, record } = server;
/** The overlay's prices decide the order; without `sort` the router spreads requests. */
const ask = (model: string, { provider = {}, ...body }: { provider?: object; stream?: boolean } = {}) =>
  post("/completions", {
    model: `test/${model}`,
    prompt: "Where to?",
    max_tokens: 12,
    seed: 5,
    provider: { sort: "price", ...provider },
    ...body,
  });

describe.each([false, true])("before the first content, with stream %o", (stream) => {
  // A stream that breaks after three events has begun already: that is another story below.
  const faults = beforeFaults.filter(([fault]) => !stream || fault !== "malformed");

  test.each(faults)("%s is answered by the next endpoint", async (fault, outcome) => {
    const response = await ask(`one-${fault}-${wayOf(stream)}`, { stream });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-fallback-count")).toBe("1");
    expect(response.headers.get("x-provider-slug")).toBe("sandbox-de");
    const text = await response.text();
    if (stream) expect(text).toMatch(/data: \[DONE\]\n\n$/);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ status: "completed", provider: "sandbox-de", completion_tokens: 12 });
    expect(row.attempts.map(({ provider, outcome: word }) => [provider, word])).toEqual([
      ["sandbox-fr", outcome],
      ["sandbox-de", "ok"],
    ]);
  });

  test("two failures are both recorded and the third endpoint answers", async () => {
    const response = await ask(`two-${wayOf(stream)}`, { stream });
    expect(response.headers.get("x-fallback-count")).toBe("2");
    await response.text();
    const row = await record(response.headers.get("x-generation-id"));
    expect(row.attempts.map(({ outcome }) => outcome)).toEqual(["refused", "overloaded", "ok"]);
  });

  test.each([
    ["all-500", 502, "PROVIDER_ERROR", 3],
    ["all-429", 429, "RATE_LIMIT_EXCEEDED", 2],
    ["all-refuse", 502, "PROVIDER_ERROR", 1],
    ["last-503", 503, "SERVICE_UNAVAILABLE", 2],
  ] as const)("when %s fail the answer is %i with every failure", async (model, status, code, tried) => {
    const response = await ask(`${model}-${wayOf(stream)}`, { stream });
    expect(response.status).toBe(status);
    const { error } = ErrorEnvelope.parse(await response.json());
    expect(error.code).toBe(code);
    expect(error.metadata.previous_errors).toHaveLength(tried);
    expect(JSON.stringify(error)).not.toContain("Sandbox fault");
    if (status === 429) expect(response.headers.get("retry-after")).toBe("7");
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ status: "failed", error_code: code, http_status: status, cost_pico_eur: 0n });
    expect(row.attempts).toHaveLength(tried);
  });

  test("the second endpoint is not asked when fallbacks are not wanted", async () => {
    const response = await ask(`alone-${wayOf(stream)}`, { stream, provider: { allow_fallbacks: false } });
    expect(response.status).toBe(502);
    await response.text();
  });
});

describe("after the first content", () => {
  test.each([
    ["cut-3", "cut"],
    ["error-midway-3", "server_error"],
    ["malformed-3", "malformed"],
    ["no-done", "malformed"],
  ])(
    "%s ends in one terminal error chunk, no second attempt, and the part is billed",
    async (model, providerCode) => {
      const response = await ask(model, { stream: true });
      expect(response.status).toBe(200);
      const events = await eventsOf(response);
      // No `[DONE]`: a cut answer must not look like a whole one.
      const chunks = events.map((event) => JSON.parse(event));
      const errors = chunks.filter(({ error }) => error);
      expect(errors).toEqual([chunks.at(-1)]);
      expect(errors[0]).toMatchObject({
        choices: [{ finish_reason: "error", text: "" }],
        error: { code: 502, metadata: { code: "PROVIDER_ERROR", provider_code: providerCode } },
      });
      const row = await record(response.headers.get("x-generation-id"));
      expect(row).toMatchObject({ status: "failed", usage_estimated: true, finish_reason: "error" });
      expect(row.attempts).toHaveLength(1);
      expect(row.completion_tokens).toBeGreaterThan(0);
      expect(row.cost_pico_eur).toBeGreaterThan(0n);
      expect(errors[0].usage.completion_tokens).toBe(row.completion_tokens);
    },
  );

  test("a whole answer that is cut is asked for again elsewhere: nothing of it was delivered", async () => {
    const response = await ask("cut-3-whole");
    expect(response.headers.get("x-fallback-count")).toBe("1");
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ status: "completed", usage_estimated: false });
  });

  test("an event larger than a megabyte is refused before it fills the memory", async () => {
    const response = await ask("huge-line", { stream: true });
    expect(response.headers.get("x-provider-slug")).toBe("sandbox-de");
    await response.text();
    const row = await record(response.headers.get("x-generation-id"));
    expect(row.attempts.map(({ outcome }) => outcome)).toEqual(["malformed", "ok"]);
  });
});

describe.each([false, true])("usage, with stream %o", (stream) => {
  const billed = async (model: string) => {
    const response = await ask(model, { stream });
    expect(response.status).toBe(200);
    await response.text();
    return record(response.headers.get("x-generation-id"));
  };

  test("that is missing is estimated, and the record says so", async () => {
    const row = await billed("no-usage");
    expect(row).toMatchObject({ status: "completed", usage_estimated: true });
    expect(row.completion_tokens).toBeGreaterThan(0);
  });

  test("whose parts exceed the whole is cut down to it", async () => {
    const row = await billed("wrong-usage");
    expect(row).toMatchObject({ usage_estimated: false, completion_tokens: 12 });
    expect(row.cached_tokens).toBeLessThanOrEqual(row.prompt_tokens);
    expect(row.reasoning_tokens).toBeLessThanOrEqual(row.completion_tokens);
  });

  test("that comes twice counts once, the last one", async () => {
    expect(await billed("double-usage")).toMatchObject({ completion_tokens: 12, usage_estimated: false });
  });
});

test("what every upstream attempt did is a metric", async () => {
  const text = await server.services.metrics.registry.metrics();
  expect(text).toMatch(/portolan_upstream_attempts_total\{provider="sandbox-fr",outcome="refused"\} \d+/);
});
