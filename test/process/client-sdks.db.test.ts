import { createCohere } from "@ai-sdk/cohere";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { embed, generateText, type LanguageModel, rerank, streamText } from "ai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import { expect, test } from "vitest";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

// Its chat names no fingerprint, which the sandbox does.
const own = await startOwnUpstream();
const server = await startTestServer({ settings: own.settings, overlay: own.overlay });
const baseURL = `${server.origin}/api/v1`;
const apiKey = server.key;

const openai = createOpenAI({ baseURL, apiKey });
const compatible = createOpenAICompatible({ name: "portolan", baseURL, apiKey, includeUsage: true });
const openrouter = createOpenRouter({ baseURL, apiKey, compatibility: "strict" });
const cohere = createCohere({ baseURL, apiKey });

type ModelOf = (id: string) => LanguageModel;
const languageModels: readonly (readonly [string, ModelOf, string])[] = [
  ["@ai-sdk/openai, chat", (id) => openai.chat(id), "own/chat"],
  ["@ai-sdk/openai, completions", (id) => openai.completion(id), "sandbox/chat"],
  ["@ai-sdk/openai, responses", (id) => openai.responses(id), "sandbox/chat"],
  ["@ai-sdk/openai-compatible, chat", (id) => compatible.chatModel(id), "own/chat"],
  ["@ai-sdk/openai-compatible, completions", (id) => compatible.completionModel(id), "sandbox/chat"],
  ["@openrouter/ai-sdk-provider, chat", (id) => openrouter.chat(id), "own/chat"],
];

test.each(languageModels)(
  "%s: a complete answer and a streamed one are read without an error",
  async (...row) => {
    const [, modelOf, id] = row;
    const asking = { model: modelOf(id), prompt: "Which port?", maxOutputTokens: 20 };
    const complete = await generateText(asking);
    expect(complete.text.length).toBeGreaterThan(0);
    expect(complete.usage.outputTokens).toBeGreaterThan(0);
    const errors: unknown[] = [];
    const streamed = streamText({ ...asking, onError: ({ error }) => void errors.push(error) });
    let text = "";
    for await (const piece of streamed.textStream) text += piece;
    expect(errors).toEqual([]);
    expect(text.length).toBeGreaterThan(0);
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
  },
);

test.each([
  ["@ai-sdk/openai", openai.embedding("sandbox/embed")],
  ["@ai-sdk/openai-compatible", compatible.embeddingModel("sandbox/embed")],
  ["@openrouter/ai-sdk-provider", openrouter.textEmbeddingModel("sandbox/embed")],
])("%s: a vector is read without an error", async (_, model) => {
  const { embedding, usage } = await embed({ model, value: "Vienna" });
  expect(embedding).toHaveLength(256);
  expect(usage.tokens).toBeGreaterThan(0);
});

const query = "Which capital lies on the Seine?";
const documents = ["Vienna lies on the Danube.", "Paris lies on the Seine."];

test("@ai-sdk/cohere: reranked documents are read without an error", async () => {
  const { ranking } = await rerank({ model: cohere.reranking("sandbox/rerank"), query, documents, topN: 1 });
  expect(ranking).toMatchObject([{ originalIndex: 1, document: documents[1] }]);
});

const cohereClients = {
  "of version 2 below /api/v1": new CohereClientV2({ token: apiKey, baseUrl: baseURL }),
  "of version 1 at the origin": new CohereClient({ token: apiKey, baseUrl: server.origin }),
};
test.each(Object.entries(cohereClients))("cohere-ai %s: reranked documents are read", async (_, client) => {
  const { results, meta } = await client.rerank({ model: "sandbox/rerank", query, documents, topN: 1 });
  expect(results).toMatchObject([{ index: 1, relevanceScore: expect.any(Number) }]);
  expect(meta).toMatchObject({ apiVersion: { version: "2" }, billedUnits: { searchUnits: 1 } });
});
