import { afterAll, describe, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { kinds } from "#test/facts/kinds.ts";
import { startTestServer } from "./server.ts";

type Json = Record<string, unknown>;

const upstream = await startUpstream();
afterAll(() => upstream.close());

const slugs = kinds.map(({ name }) => `own-${name}`);
const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ...Object.fromEntries(slugs.map((slug) => [`${slug.toUpperCase().replace("-", "_")}_API_KEY`, "key"])),
  },
  overlay: {
    providers: kinds.map(({ kind }, at) => ({
      ...{ slug: slugs[at], name: slugs[at], kind, base_url: `${upstream.origin}/v1`, apis: ["chat"] },
      ...{ region: "DE", datacenters: ["DE"], headquarters: "DE" },
    })),
    models: slugs.map((slug) => ({ id: `own/${slug}`, context_length: 8_192 })),
    endpoints: slugs.map((slug) => ({
      ...{ provider: slug, model: `own/${slug}`, upstream_model: "theirs" },
      price: { currency: "EUR", input: "1", output: "1", cached_input: "0.1", cache_write: "2" },
    })),
  },
});

const user = [{ role: "user", content: "Hello" }];
/** How each operation is asked, and where the object with the facts stands in the answer. */
const operations = {
  chat: {
    path: "/chat/completions",
    body: { messages: user },
    final: (events: readonly Json[]) => joined(events),
  },
  responses: {
    path: "/responses",
    body: { input: "Hello" },
    final: (events: readonly Json[]) => events.find(({ type }) => type === "response.completed")?.response,
  },
  messages: {
    path: "/messages",
    body: { messages: user, max_tokens: 100, stop_sequences: ["END"] },
    final: (events: readonly Json[]) => {
      const { delta, ...beside } = events.find(({ type }) => type === "message_delta") ?? {};
      return { ...(delta as Json), ...beside };
    },
  },
} as const;

/** A chat that was streamed, as clients put it together: lists of a delta are joined, other members replaced. */
function joined(chunks: readonly Json[]): Json {
  const message: Json = {};
  let choice: Json = {};
  let answer: Json = {};
  for (const { choices, ...rest } of chunks) {
    answer = { ...answer, ...rest };
    for (const { delta, ...more } of choices as { delta: Json }[]) {
      choice = { ...choice, ...more };
      for (const [name, value] of Object.entries(delta))
        message[name] = Array.isArray(value) ? [...((message[name] as unknown[]) ?? []), ...value] : value;
    }
  }
  return { ...answer, choices: [{ ...choice, message }] };
}

async function answered(name: string, api: keyof typeof operations, stream: boolean) {
  const { path, body, final } = operations[api];
  const response = await server.post(path, { model: `own/own-${name}`, stream, ...body });
  const id = response.headers.get("x-generation-id");
  if (!stream) return { id, status: response.status, answer: await response.json() };
  const text = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const events = text.map((line) => JSON.parse(line.slice(6)) as Json);
  return { id, status: response.status, answer: final(events) };
}

describe.each(kinds)("$name", ({ name, complete, stream, facts, usage, row }) => {
  test.each(["chat", "responses", "messages"] as const)(
    "no fact is lost in %s, complete and streamed",
    async (api) => {
      for (const isStream of [false, true]) {
        const sent = isStream ? stream : complete;
        upstream.answer = (response) => response.writeHead(200, { "content-type": sent.type }).end(sent.body);
        const { id, status, answer } = await answered(name, api, isStream);
        expect(status, JSON.stringify(answer)).toBe(200);
        expect(answer, `streamed: ${isStream}`).toMatchObject(facts[api]);
        if (api === "chat") expect(answer).toMatchObject({ usage });
        expect(await server.record(id)).toMatchObject(row);
      }
    },
  );
});

test("a word that is none of the request's stop sequences is not reported as one", async () => {
  const vllm = kinds.find(({ name }) => name === "vllm");
  upstream.answer = (response) =>
    response.writeHead(200, { "content-type": vllm?.complete.type }).end(vllm?.complete.body);
  const body = { model: "own/own-vllm", messages: user, max_tokens: 100, stop_sequences: ["OTHER"] };
  const answer = await (await server.post("/messages", body)).json();
  expect(answer).toMatchObject({ stop_reason: "end_turn", stop_sequence: null });
});
