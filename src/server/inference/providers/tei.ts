import { embeddingElements } from "../wires/openai-embeddings/wire.ts";
import { isJson } from "../wires/shared/json.ts";
import { jsonKind } from "./json-kind.ts";

/** Hugging Face's Text Embeddings Inference: one model per server, so rerank requests name none. */
export const tei = jsonKind("tei", "Text Embeddings Inference", {
  rerank: {
    path: "/rerank",
    lacks: ["user", "max_tokens_per_doc", "max_chunks_per_doc", "priority"],
    toProvider: ({ query, documents, truncation }) => ({
      query,
      texts: documents,
      truncate: truncation ?? true,
    }),
    fromProvider: (value) =>
      Array.isArray(value)
        ? {
            results: value.map((result: unknown) =>
              isJson(result) ? { index: result.index, relevance_score: result.score } : result,
            ),
          }
        : null,
  },
  embeddings: {
    path: "/v1/embeddings",
    toProvider: ({ input_type: _, ...body }) => body,
    lacks: ["input_type"],
    elements: embeddingElements,
  },
});
