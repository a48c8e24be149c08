import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import type { Api } from "#contract/inference-operations.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { dialects } from "#test/dialects/index.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { nativeRerank } from "../wires/cohere-rerank/wire.ts";
import { nativeEmbeddings } from "../wires/openai-embeddings/wire.ts";
import type { Json } from "../wires/shared/json.ts";
import { providerKinds } from "./registry.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.received.length = 0;
});

function way(kind: string, basePath: string, api: Api) {
  const at = endpoint(
    provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
    model("m/x", { supportedParameters: [] }),
    { upstreamModel: "theirs-1" },
  );
  const found = providerKinds.get(kind)?.upstream(at, api, "secret-of-theirs");
  if (!found) throw new Error(`${kind} does not speak ${api}`);
  return { found, at };
}

const exchange = (body: Json) => exchangeWith(outbound, body);

const answers = (body: unknown, status = 200) => {
  upstream.answer = (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** Answers in the shapes of the public API references, with figures of our own. */
interface RankDialect {
  readonly kind: string;
  readonly basePath: string;
  readonly path: string;
  readonly sent: Json;
  readonly answer: unknown;
  readonly usage: object;
}
const documents = ["Vienna", "Paris", "Rome"];
const plain = { query: "Seine", documents, top_n: 2, return_documents: false };

const rerankers: Record<string, RankDialect> = {
  Cohere: {
    kind: "cohere",
    basePath: "/v2",
    path: "/v2/rerank",
    sent: { model: "theirs-1", query: "Seine", documents, top_n: 2, max_tokens_per_doc: 900, priority: 3 },
    answer: {
      id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
      results: [
        { index: 1, relevance_score: 0.92 },
        { index: 2, relevance_score: 0.11 },
      ],
      meta: { api_version: { version: "2" }, billed_units: { search_units: 4 } },
    },
    usage: { searchUnits: 4, uncached: 0, estimated: false },
  },
  Jina: {
    kind: "jina",
    basePath: "/v1",
    path: "/v1/rerank",
    sent: { model: "theirs-1", ...plain },
    answer: {
      model: "jina-reranker-v3",
      object: "list",
      usage: { total_tokens: 38 },
      results: [
        { index: 1, relevance_score: 0.92 },
        { index: 2, relevance_score: 0.11 },
      ],
    },
    usage: { searchUnits: 1, uncached: 38, estimated: false },
  },
  Voyage: {
    kind: "voyage",
    basePath: "/v1",
    path: "/v1/rerank",
    sent: {
      model: "theirs-1",
      query: "Seine",
      documents,
      top_k: 2,
      return_documents: false,
      truncation: true,
    },
    answer: {
      object: "list",
      data: [
        { relevance_score: 0.92, index: 1 },
        { relevance_score: 0.11, index: 2 },
      ],
      model: "rerank-2.5",
      usage: { total_tokens: 26 },
    },
    usage: { searchUnits: 1, uncached: 26, estimated: false },
  },
  "Text Embeddings Inference": {
    kind: "tei",
    basePath: "",
    path: "/rerank",
    sent: { query: "Seine", texts: documents, truncate: true },
    answer: [
      { index: 1, score: 0.92 },
      { index: 2, score: 0.11 },
      { index: 0, score: 0.02 },
    ],
    usage: { searchUnits: 1, estimated: true },
  },
  vLLM: {
    kind: "openai-compatible",
    basePath: "/v1",
    path: "/v1/rerank",
    sent: { model: "theirs-1", ...plain },
    answer: {
      id: "rerank-fae51b2b664d4ed38f5969b612edff77",
      model: "BAAI/bge-reranker-base",
      usage: { prompt_tokens: 56, total_tokens: 56 },
      results: [
        { index: 1, document: { text: "Paris", multi_modal: null }, relevance_score: 0.92 },
        { index: 2, document: { text: "Rome", multi_modal: null }, relevance_score: 0.11 },
      ],
    },
    usage: { searchUnits: 1, uncached: 56, estimated: false },
  },
};

describe.each(Object.entries(rerankers))(
  "reranking by %s",
  (_, { kind, basePath, path, sent, answer, usage }) => {
    const request = RerankRequest.parse({
      model: "m/x",
      query: "Seine",
      documents,
      top_n: 2,
      max_tokens_per_doc: 900,
      priority: 3,
      truncation: true,
      surprise: "dropped",
    });
    const rank = async () => {
      const { found, at } = way(kind, basePath, "rerank");
      const body = nativeRerank.encode(request, at, 0, false);
      return nativeRerank.reader(request).answer(await found.complete(exchange(body)));
    };

    test("the request is theirs, with the credential and nothing they would refuse", async () => {
      answers(answer);
      await rank();
      const [received] = upstream.received;
      expect(received?.path).toBe(path);
      expect(received?.headers.authorization).toBe("Bearer secret-of-theirs");
      expect(received?.body).toEqual(sent);
    });

    test("the answer is understood, with what it will cost", async () => {
      answers(answer);
      const part = await rank();
      expect(part?.results).toEqual([
        { index: 1, relevance_score: 0.92 },
        { index: 2, relevance_score: 0.11 },
      ]);
      expect(part?.usage).toMatchObject(usage);
    });

    test.each([
      ["nothing", {}],
      ["an empty list", []],
      ["a null", null],
      ["a text", "ok"],
      ["an error in place of an answer", { error: { message: "no", code: 503 } }],
      ["results of something else", { results: [{ index: 9, relevance_score: 1 }], data: [{}] }],
    ])("%s is no answer, and another endpoint may be asked", async (_name, broken) => {
      answers(broken);
      const failure = await rank().then(
        (part) => (part === null ? { retry: "endpoint" } : { retry: "none was raised" }),
        (error: { failure?: object }) => error.failure,
      );
      expect(failure).toMatchObject({ retry: "endpoint" });
    });
  },
);

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
const openAiRequest = { model: "theirs-1", input: ["one", "two"], dimensions: 2, encoding_format: "base64" };

const embedders: Record<string, EmbeddingDialect> = {
  Cohere: {
    kind: "cohere",
    basePath: "/v2",
    path: "/v2/embed",
    sent: {
      model: "theirs-1",
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
      model: "theirs-1",
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
      model: "theirs-1",
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
  test("are asked for in its words and given in the client's format", async () => {
    answers(answer);
    const request = EmbeddingRequest.parse({
      model: "m/x",
      input: ["one", "two"],
      dimensions: 2,
      encoding_format: "base64",
      input_type: "query",
    });
    const { found, at } = way(kind, basePath, "embeddings");
    const body = nativeEmbeddings.encode(request, at, 0, false);
    const part = nativeEmbeddings.reader(request).answer(await found.complete(exchange(body)));
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
  "%s is not sent tokens, which another endpoint may take",
  async (kind) => {
    const { found } = way(kind, "/v1", "embeddings");
    await expect(found.complete(exchange({ model: "x", input: [1, 2] }))).rejects.toMatchObject({
      failure: { outcome: "unsupported", retry: "endpoint", blame: "request" },
    });
    expect(upstream.received).toEqual([]);
  },
);

test.each([
  ["rerank", rerankers],
  ["embeddings", embedders],
] as const)("every kind that can do %s is in this suite or in that of chat", (api, table) => {
  const covered = new Set(Object.values(table).map(({ kind }) => kind));
  // What chats is asked there for its vectors too, where it has any.
  if (api === "embeddings") for (const { kind } of dialects) covered.add(kind);
  const able = [...providerKinds.values()].filter(
    ({ kind, upstream: open }) =>
      open(endpoint(provider("theirs", { kind }), model("m/x")), api, "key") !== null,
  );
  expect(able.filter(({ kind }) => !covered.has(kind)).map(({ kind }) => kind)).toEqual([]);
});
