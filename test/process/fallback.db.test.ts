import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { faultyModels } from "./overlay.ts";
import { eventsOf, startTestServer } from "./server.ts";

/** An endpoint that failed is left alone for a while, so each kind of request meets endpoints of its own. */
const wayOf = (stream: boolean): string => (stream ? "streamed" : "whole");
const failingFirst = (way: string) => ({
  [`two-${way}`]: { fr: "refuse", de: "503", us: "ok" } as const,
  [`all-500-${way}`]: { fr: "500", de: "500", us: "500" } as const,
  [`all-429-${way}`]: { fr: "429:7", de: "429:7" } as const,
  [`last-503-${way}`]: { fr: "500", de: "503" } as const,
  [`alone-${way}`]: { fr: "500", de: "ok" } as const,
});

const server = await startTestServer({
  overlay: faultyModels({
    ...failingFirst("whole"),
    ...failingFirst("streamed"),
    "wrong-usage": { fr: "wrong-usage" },
    "cut-3": { fr: "cut:3", de: "ok" },
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

// What each single fault does at each endpoint is the table of docs/faults.md (faults.db.test.ts).
describe.each([false, true])("several providers, with stream %o", (stream) => {
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
    ["last-503", 503, "SERVICE_UNAVAILABLE", 2],
  ] as const)("when %s fail the answer is %i with every failure", async (model, status, code, tried) => {
    const response = await ask(`${model}-${wayOf(stream)}`, { stream });
    expect(response.status).toBe(status);
    const { error } = ErrorEnvelope.parse(await response.json());
    expect(error.code).toBe(code);
    expect(error.metadata.previous_errors).toHaveLength(tried);
    // The provider's own time, else ours; a 502 has none.
    expect(response.headers.get("retry-after")).toBe({ 429: "7", 503: "5", 502: null }[status]);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ status: "failed", error_code: code, http_status: status, cost_pico_eur: 0n });
    expect(row.attempts).toHaveLength(tried);
  });

  test("the second endpoint is not asked when fallbacks are not wanted", async () => {
    const response = await ask(`alone-${wayOf(stream)}`, { stream, provider: { allow_fallbacks: false } });
    expect(response.status).toBe(502);
    await response.text();
  });

  test("usage whose parts exceed their sum is reduced to it", async () => {
    const response = await ask("wrong-usage", { stream });
    await response.text();
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ usage_estimated: false, completion_tokens: 12 });
    expect(row.cached_tokens).toBeLessThanOrEqual(row.prompt_tokens);
    expect(row.reasoning_tokens).toBeLessThanOrEqual(row.completion_tokens);
  });
});

test("the error that ends a stream contains the billed usage, once and last", async () => {
  const response = await ask("cut-3", { stream: true });
  const chunks = (await eventsOf(response)).map((event) => JSON.parse(event));
  const errors = chunks.filter(({ error }) => error);
  expect(errors).toEqual([chunks.at(-1)]);
  const row = await record(response.headers.get("x-generation-id"));
  expect(errors[0].usage.completion_tokens).toBe(row.completion_tokens);
});

test("what every upstream attempt did is a metric", async () => {
  const text = await server.services.metrics.text();
  expect(text).toMatch(/portolan_upstream_attempts_total\{provider="sandbox-fr",outcome="refused"\} \d+/);
});
