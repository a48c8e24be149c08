import { describe, expect, test } from "vitest";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import { kindsOf, upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { dialects } from "#test/dialects/index.ts";
import { sending } from "#test/sending.ts";
import { nativeEmbeddings } from "../wires/openai-embeddings/wire.ts";
import type { Json } from "../wires/shared/json.ts";

const { upstream, exchange, open } = await upstreamOfFile();
const credential = "secret-of-theirs";

const answers = (body: unknown, status = 200) => {
  upstream.answer = (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

interface EmbeddingDialect {
  readonly kind: string;
  readonly basePath: string;
  readonly path: string;
  readonly sent: Json;
  readonly answer: unknown;
}

const openAiVectors = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.5, 0.25] },
    { object: "embedding", index: 1, embedding: [-1, 2] },
  ],
  usage: { total_tokens: 11 },
};

const openAiRequest = {
  model: "model-of-theirs",
  input: ["one", "two"],
  dimensions: 2,
  encoding_format: "base64",
};

const embedders: Record<string, EmbeddingDialect> = {
  Cohere: {
    kind: "cohere",
    basePath: "/v2",
    path: "/v2/embed",
    sent: {
      model: "model-of-theirs",
      texts: ["one", "two"],
      input_type: "search_query",
      embedding_types: ["float"],
      output_dimension: 2,
    },
    answer: {
      id: "da6e531f-54c5-4a73-bf92-f60566d8d753",
      embeddings: {
        float: [
          [0.5, 0.25],
          [-1, 2],
        ],
      },
      texts: ["one", "two"],
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 11 } },
    },
  },
  Voyage: {
    kind: "voyage",
    basePath: "/v1",
    path: "/v1/embeddings",
    sent: {
      model: "model-of-theirs",
      input: ["one", "two"],
      input_type: "query",
      output_dimension: 2,
      encoding_format: "base64",
    },
    answer: openAiVectors,
  },
  Jina: {
    kind: "jina",
    basePath: "/v1",
    path: "/v1/embeddings",
    sent: {
      model: "model-of-theirs",
      input: ["one", "two"],
      dimensions: 2,
      embedding_type: "base64",
      task: "retrieval.query",
    },
    answer: openAiVectors,
  },
  "Text Embeddings Inference": {
    kind: "tei",
    basePath: "",
    path: "/v1/embeddings",
    sent: openAiRequest,
    answer: openAiVectors,
  },
  vLLM: {
    kind: "openai-compatible",
    basePath: "/v1",
    path: "/v1/embeddings",
    sent: openAiRequest,
    answer: openAiVectors,
  },
};

describe.each(Object.entries(embedders))("vectors of %s", (_, { kind, basePath, path, sent, answer }) => {
  test("are requested in the provider's form and returned in the client's format", async () => {
    answers(answer);
    const request = EmbeddingRequest.parse({
      model: "m/x",
      input: ["one", "two"],
      dimensions: 2,
      encoding_format: "base64",
      input_type: "query",
    });
    const { way, at } = open({ kind, basePath, credential }, "embeddings");
    const body = nativeEmbeddings.encode(request, at, sending());
    const part = nativeEmbeddings.reader(request).answer(await way.complete(exchange(body)));
    expect(upstream.received[0]).toMatchObject({
      path,
      headers: { authorization: "Bearer secret-of-theirs" },
    });
    expect(upstream.received[0]?.body).toEqual(sent);
    expect(part?.vectors).toEqual(['"AAAAPwAAgD4="', '"AACAvwAAAEA="']);
    expect(part?.usage).toMatchObject({ uncached: 11, estimated: false });
  });
});

test.each(["cohere", "voyage", "jina"])(
  "%s does not get tokens, and another endpoint may be tried",
  async (kind) => {
    const { way } = open({ kind, basePath: "/v1", credential }, "embeddings");
    await expect(way.complete(exchange({ model: "x", input: [1, 2] }))).rejects.toMatchObject({
      failure: { outcome: "unsupported", retry: "endpoint", blame: "request" },
    });
    expect(upstream.received).toEqual([]);
  },
);

test("every kind that can do embeddings is in this suite or in that of chat", () => {
  // Kinds that chat are asked for their vectors in the suite of chat.
  const covered = [...Object.values(embedders), ...dialects].map(({ kind }) => kind);
  expect(kindsOf("embeddings").filter((kind) => !covered.includes(kind))).toEqual([]);
});
