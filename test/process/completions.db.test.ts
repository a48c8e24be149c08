import { describe, expect, test } from "vitest";
import { Completion } from "#contract/completions.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { faultyModels } from "./overlay.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ ladder: { fr: "ok", de: "ok", us: "ok" }, bare: {} }),
});
const { client, post, record } = server;

const prompt = { model: "sandbox/chat", prompt: "Say hello to Europe.", max_tokens: 5, seed: 7 };

/** A streamed answer in the form of a complete one. */
function assemble(events: readonly string[]) {
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
  return {
    text: chunks.flatMap(({ choices }) => choices.map(({ text }: { text: string }) => text)).join(""),
    usage: chunks.at(-1).usage,
    ids: new Set(chunks.map(({ id }) => id)),
    finish: chunks.flatMap(({ choices }) => choices).findLast((choice) => choice.finish_reason)
      ?.finish_reason,
    last: chunks.at(-1),
  };
}

describe.each(["fr", "de", "us"])("at the sandbox %s", (site) => {
  const asked = { ...prompt, provider: { only: [`sandbox-${site}`] } };

  test("a completion is answered, priced and recorded", async () => {
    const response = await post("/completions", asked, { headers: { "x-title": "My app" } });
    const completion = Completion.parse(await response.json());
    const { usage, choices } = completion;
    expect(choices).toHaveLength(1);
    expect(usage).toMatchObject({ completion_tokens: 5, cost_currency: "USD", is_byok: false });
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    expect(usage.cost).toBeGreaterThan(0);
    expect(usage.cost_eur).toBeGreaterThan(0);
    expect(usage.cost_details.upstream_inference_cost).toBeCloseTo(usage.cost, 12);
    expect(response.headers.get("x-provider-slug")).toBe(`sandbox-${site}`);
    expect(response.headers.get("x-model-used")).toBe("sandbox/chat");
    expect(response.headers.has("x-fallback-count")).toBe(false);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({
      status: "completed",
      provider: `sandbox-${site}`,
      http_status: 200,
      completion_tokens: 5,
      prompt_tokens: usage.prompt_tokens,
      streamed: false,
      usage_estimated: false,
      app_title: "My app",
      request_id: response.headers.get("x-request-id"),
    });
    expect(row.cost_pico_eur).toBe(picoFromDecimal(usage.cost_eur.toFixed(12)));
    expect(completion.id).toBe(`cmpl-${row.id}`);
  });

  test("a stream has the same text, its usage last, and is recorded once", async () => {
    const complete = Completion.parse(await (await post("/completions", asked)).json());
    const response = await post("/completions", { ...asked, stream: true });
    const events = await eventsOf(response);
    expect(events.at(-1)).toBe("[DONE]");
    const { text, usage, ids, finish, last } = assemble(events);
    expect(text).toBe(complete.choices[0]?.text);
    expect(usage.completion_tokens).toBe(5);
    expect(last.choices).toEqual([]);
    expect(finish).toBe(complete.choices[0]?.finish_reason);
    expect(ids.size).toBe(1);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ status: "completed", streamed: true, completion_tokens: 5 });
    expect(row.latency_ms).not.toBeNull();
    expect(row.cost_pico_eur).toBe(picoFromDecimal(usage.cost_eur.toFixed(12)));
  });
});

describe("the unmodified openai client", () => {
  test("completes", async () => {
    const answer = await client.completions.create(prompt);
    expect(answer.choices[0]?.text).not.toBe("");
    expect(answer.usage?.completion_tokens).toBe(5);
  });

  test("streams", async () => {
    let text = "";
    for await (const chunk of await client.completions.create({ ...prompt, stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toBe((await client.completions.create(prompt)).choices[0]?.text);
  });

  test("raises its own error classes", async () => {
    const failing = (model: string) => client.completions.create({ model, prompt: "x" });
    await expect(failing("nobody/nothing")).rejects.toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      param: "model",
    });
    for (const near of ["Sandbox/CHAT", "chat", "sandbox/Chat:floor"])
      await expect(failing(near)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("Did you mean `sandbox/chat`?"),
      });
    await expect(failing("")).rejects.toMatchObject({ status: 400, type: "invalid_request_error" });
    await expect(failing("nobody/nothing")).rejects.toHaveProperty(
      "requestID",
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    );
  });
});

describe("request options", () => {
  test("sorted by price the cheapest endpoint is tried first; `order` and `ignore` change that", async () => {
    const served = async (provider: object) =>
      (await post("/completions", { ...prompt, model: "test/ladder", provider })).headers.get(
        "x-provider-slug",
      );
    expect(await served({ sort: "price" })).toBe("sandbox-fr");
    expect(await served({ order: ["sandbox-us"] })).toBe("sandbox-us");
    expect(await served({ sort: "price", ignore: ["sandbox-fr"] })).toBe("sandbox-de");
    expect(await served({ data_residency: "de" })).toBe("sandbox-de");
  });

  test.each([
    [{ "x-title": "Atlas", "x-openrouter-title": "Other", "http-referer": "https://atlas.example" }, "Atlas"],
    [{ "x-title": "", "x-openrouter-title": "Atlas", "http-referer": "https://atlas.example" }, "Atlas"],
    [{ "http-referer": "https://atlas.example" }, "https://atlas.example"],
    [{ "http-referer": "x".repeat(300) }, "x".repeat(256)],
    [{}, null],
  ])("the application of the headers %o is recorded as %s", async (headers, title) => {
    const response = await post("/completions", prompt, { headers });
    expect((await record(response.headers.get("x-generation-id"))).app_title).toBe(title);
  });

  test("several prompts and choices are answered and counted in full", async () => {
    const answer = Completion.parse(
      await (await post("/completions", { ...prompt, prompt: ["one", "two"], n: 2, max_tokens: 3 })).json(),
    );
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(answer.usage.completion_tokens).toBe(12);
  });

  test("of a list of models the first available one serves", async () => {
    const response = await post("/completions", {
      ...prompt,
      model: undefined,
      models: ["no/such", "sandbox/chat"],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-model-used")).toBe("sandbox/chat");
  });

  test("preferences that no endpoint meets answer 503 with the reasons of every endpoint", async () => {
    const response = await post("/completions", { ...prompt, provider: { data_residency: "pl" } });
    expect(response.status).toBe(503);
    const { error } = (await response.json()) as { error: { metadata: { excluded: object[] } } };
    expect(error).toMatchObject({
      message: "No provider meets the rules for this request: data residency (3 excluded)",
      metadata: {
        error_type: "no_eligible_provider",
        availability: { code: "constraint_filtered", excluded_by: ["data_region"] },
      },
    });
    expect(error.metadata.excluded).toHaveLength(3);
  });

  test("a model without any endpoint is a 503 with that reason", async () => {
    const response = await post("/completions", { ...prompt, model: "test/bare" });
    expect(response.status).toBe(503);
    const { error } = (await response.json()) as { error: object };
    expect(error).toMatchObject({
      message: "No provider serves this model",
      metadata: { availability: { code: "no_endpoints", excluded_by: [] } },
    });
  });

  test("a completion without an estimate costs nothing if it never reached a provider", async () => {
    const { billing } = server.services;
    await billing.drain();
    const count = () => server.services.database.prisma.generation.count();
    const before = await count();
    await post("/completions", { ...prompt, model: "nobody/nothing" });
    await post("/completions", { ...prompt, provider: { data_residency: "pl" } });
    await billing.drain();
    expect(await count()).toBe(before);
  });
});
