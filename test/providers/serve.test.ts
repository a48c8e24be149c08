import { expect, test } from "vitest";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { mocks } from "./index.ts";
import { play } from "./serve.ts";
import type { Json } from "./shape.ts";
import { askedOf } from "./verdicts.ts";

const { upstream } = await upstreamOfFile();

interface Example {
  readonly path: string;
  readonly body: Json;
  readonly streamed: readonly [path: string, body: Json] | null;
}
const messages = [{ role: "user", content: "Hello" }];
const openAiExample = (path: string, model: string): Example => {
  const body = { model, messages };
  return { path, body, streamed: [path, { ...body, stream: true }] };
};
const own: Readonly<Record<string, Example>> = {
  anthropic: (({ path, body }) => ({
    path,
    body: { ...body, max_tokens: 9 },
    streamed: [path, { ...body, max_tokens: 9, stream: true }] as const,
  }))(openAiExample("/v1/messages", "claude-sonnet-4-5")),
  gemini: ((body) => ({
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    body,
    streamed: ["/v1beta/models/gemini-2.5-flash:streamGenerateContent", body] as const,
  }))({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
  bedrock: {
    path: "/model/m/converse",
    body: { messages: [{ role: "user", content: [{ text: "Hello" }] }] },
    streamed: null,
  },
  cohere: openAiExample("/compatibility/v1/chat/completions", "command-a-03-2025"),
  voyage: { path: "/v1/embeddings", body: { model: "m", input: ["a"] }, streamed: null },
  jina: { path: "/v1/embeddings", body: { model: "m", input: ["a"] }, streamed: null },
};

async function post(path: string, headers: object, sent: object) {
  const response = await fetch(upstream.origin + path, {
    method: "POST",
    headers: { ...headers },
    body: JSON.stringify(sent),
  });
  return { status: response.status, text: await response.text() };
}

test.each(mocks.map((mock) => [mock.name, mock] as const))(
  "%s requires its credential, knows its paths only, fails as asked and records what it got",
  async (name, mock) => {
    const played = play(mock);
    upstream.answer = played.answer;
    const { path, body, streamed } =
      own[name] ?? openAiExample(`${mock.basePath}/chat/completions`, mock.models[0]);
    const headers = { ...askedOf(mock, path, body).headers, "anthropic-version": "2023-06-01" };

    expect((await post(path, {}, body)).status).toBe(mock.unauthorized.status);
    expect((await post(`${path}/x`, headers, body)).status).toBe(mock.notFound.status);
    for (const failure of Object.values(mock.failures)) {
      played.failNext = failure;
      expect(await post(path, headers, body)).toEqual({
        status: failure.status,
        text: JSON.stringify(failure.body),
      });
    }
    expect((await post(path, headers, body)).status).toBe(200);
    expect(played.judged.at(-1)).toMatchObject({ body, refusal: null });
    if (!streamed) return;
    const stream = await post(streamed[0], headers, streamed[1]);
    expect(stream.text).toMatch(/^: keep-alive\n\n/);
    expect(stream.text).toContain("☀️");
    expect(played.judged.at(-1)?.body).toEqual(streamed[1]);
  },
);
