import { embeddingElements } from "../wires/openai-embeddings/wire.ts";
import { jsonKind, renamed, textsOf } from "./json-kind.ts";

const tasks: Readonly<Record<string, string>> = { query: "retrieval.query", document: "retrieval.passage" };

/** Jina AI's own API; its rerank is the standard one. */
export const jina = jsonKind("jina", "Jina AI", {
  rerank: {
    path: "/rerank",
    lacks: ["user", "max_tokens_per_doc", "max_chunks_per_doc", "truncation", "priority"],
    toProvider: (body) =>
      renamed(body, {
        model: "model",
        query: "query",
        documents: "documents",
        top_n: "top_n",
        return_documents: "return_documents",
      }),
  },
  embeddings: {
    path: "/embeddings",
    lacks: ["user"],
    toProvider: (body) => {
      const task = tasks[String(body.input_type)];
      return {
        ...renamed(body, { model: "model", dimensions: "dimensions", encoding_format: "embedding_type" }),
        input: textsOf(body),
        ...(task && { task }),
      };
    },
    elements: embeddingElements,
  },
});
