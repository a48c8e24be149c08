import { afterAll, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { startTestServer } from "./server.ts";

const upstream = await startUpstream();
afterAll(() => upstream.close());
upstream.answer = (response, { path }) => {
  const choice = path.endsWith("/chat/completions")
    ? { message: { role: "assistant", content: "said" } }
    : { text: "said" };
  const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", ...choice }], usage }));
};

const names = ["chatty", "legacy"] as const;
const apis = { chatty: "chat", legacy: "completions" };
const endpoint = (provider: (typeof names)[number], model: string, input: string, parameters: string[]) => ({
  ...{ provider, model, upstream_model: model, apis: [apis[provider]], supported_parameters: parameters },
  price: { currency: "EUR", input, output: input },
});
const known = ["temperature", "logit_bias", "n", "best_of", "echo", "suffix", "logprobs"];
const server = await startTestServer({
  settings: { CHATTY_API_KEY: "a", LEGACY_API_KEY: "b", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  overlay: {
    providers: names.map((slug) => ({ slug, name: slug, base_url: `${upstream.origin}/${slug}/v1` })),
    models: ["test/both", "test/chats"].map((id) => ({ id, context_length: 8192 })),
    // The endpoint with chat only is the cheaper one, so it is skipped for a reason, not by chance.
    endpoints: [
      endpoint("chatty", "test/both", "1", ["temperature", "n"]),
      endpoint("legacy", "test/both", "2", known),
      endpoint("chatty", "test/chats", "1", ["temperature"]),
    ],
  },
});

async function ask(body: object) {
  const before = upstream.received.length;
  const response = await server.post("/completions", {
    model: "test/both",
    prompt: "Say",
    max_tokens: 4,
    ...body,
  });
  const answer = (await response.json()) as { error?: { message: string; param: string | null } };
  const sent = upstream.received.slice(before).map(({ body: asked }) => asked as Record<string, unknown>);
  return { status: response.status, by: response.headers.get("x-provider-slug"), answer, sent };
}

test.each([
  { echo: true },
  { suffix: " end" },
  { best_of: 2 },
  { n: 2, best_of: 3 },
  { logprobs: 2 },
  { prompt: [15496, 995] },
  { prompt: [[15496], [995]] },
])("%j is sent unchanged to an endpoint with completions, and never to one with chat only", async (field) => {
  const { status, by, sent } = await ask(field);
  expect([status, by]).toEqual([200, "legacy"]);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject(field);
  const { status: alone, answer, sent: none } = await ask({ ...field, model: "test/chats" });
  // There it is the request's own fault, and the field is named: no model with chat only supports it.
  expect([alone, none]).toEqual([400, []]);
  expect(Object.keys(field)).toContain(answer.error?.param);
});

test("a plain prompt is sent as one message to the cheaper endpoint with chat only", async () => {
  const { by, sent } = await ask({ n: 2, temperature: 0.5, provider: { sort: "price" } });
  expect(by).toBe("chatty");
  expect(sent[0]).toMatchObject({ messages: [{ role: "user", content: "Say" }], temperature: 0.5 });
});

test("several prompts are sent to it as one message each", async () => {
  const { by, sent } = await ask({ prompt: ["One", "Two"], provider: { sort: "price" } });
  expect(by).toBe("chatty");
  const reported = new Set(sent.map(({ messages }) => JSON.stringify(messages)));
  expect(reported).toEqual(
    new Set(["One", "Two"].map((content) => JSON.stringify([{ role: "user", content }]))),
  );
});

test("the best of several cannot be streamed", async () => {
  const { status, answer, sent } = await ask({ best_of: 2, stream: true });
  expect([status, answer.error?.param, sent]).toEqual([400, "best_of", []]);
});

test("a parameter an endpoint does not support is not sent to it, unless the request requires it", async () => {
  const biased = { model: "test/chats", logit_bias: { "50256": -100 } };
  const dropped = await ask(biased);
  expect([dropped.status, "logit_bias" in (dropped.sent[0] ?? {})]).toEqual([200, false]);
  const required = await ask({ ...biased, provider: { require_parameters: true } });
  expect([required.status, required.sent]).toEqual([503, []]);
  expect(required.answer.error?.message).toBe(
    "No provider meets the rules for this request: parameters (1 excluded)",
  );
  const stored = await ask({ ...biased, model: "test/both", provider: { require_parameters: true } });
  expect([stored.by, stored.sent[0]?.logit_bias]).toEqual(["legacy", biased.logit_bias]);
});
