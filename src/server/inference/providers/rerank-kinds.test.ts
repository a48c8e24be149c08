import { describe, expect, test } from "vitest";
import { RerankRequest } from "#contract/rerank.ts";
import { kindsOf, upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { sending } from "#test/sending.ts";
import { nativeRerank } from "../wires/cohere-rerank/wire.ts";
import type { Json } from "../wires/shared/json.ts";

const { upstream, exchange, open } = await upstreamOfFile();
const credential = "secret-of-theirs";

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
    sent: {
      model: "model-of-theirs",
      query: "Seine",
      documents,
      top_n: 2,
      max_tokens_per_doc: 900,
      priority: 3,
    },
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
    sent: { model: "model-of-theirs", ...plain },
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
      model: "model-of-theirs",
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
    sent: { model: "model-of-theirs", ...plain },
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
      const { way, at } = open({ kind, basePath, credential }, "rerank");
      const body = nativeRerank.encode(request, at, sending());
      return nativeRerank.reader(request).answer(await way.complete(exchange(body)));
    };

    test("the request is in the form of the provider, with the credential and no unknown field", async () => {
      answers(answer);
      await rank();
      const [received] = upstream.received;
      expect(received?.path).toBe(path);
      expect(received?.headers.authorization).toBe("Bearer secret-of-theirs");
      expect(received?.body).toEqual(sent);
    });

    test("the answer is read with its usage", async () => {
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
    ])("%s is no answer, and another endpoint may be tried", async (_name, broken) => {
      answers(broken);
      const failure = await rank().then(
        (part) => (part === null ? { retry: "endpoint" } : { retry: "none was raised" }),
        (error: { failure?: object }) => error.failure,
      );
      expect(failure).toMatchObject({ retry: "endpoint" });
    });
  },
);

test("every kind that can rerank is in this suite", () => {
  const covered = Object.values(rerankers).map(({ kind }) => kind);
  expect(kindsOf("rerank").filter((kind) => !covered.includes(kind))).toEqual([]);
});
