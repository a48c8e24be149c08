import { isJson } from "../wires/shared/json.ts";
import { jsonKind, renamed, textsOf } from "./json-kind.ts";

const purposes: Readonly<Record<string, string>> = { query: "search_query", document: "search_document" };

/** Cohere's own API, version 2. Chat uses its OpenAI-compatible API beside it. */
export const cohere = jsonKind("cohere", "Cohere", {
  chat: { path: "/../compatibility/v1/chat/completions" },
  rerank: {
    path: "/rerank",
    lacks: ["user", "max_chunks_per_doc", "truncation"],
    toProvider: (body) =>
      renamed(body, {
        model: "model",
        query: "query",
        documents: "documents",
        top_n: "top_n",
        max_tokens_per_doc: "max_tokens_per_doc",
        priority: "priority",
      }),
  },
  embeddings: {
    path: "/embed",
    lacks: ["user"],
    toProvider: (body) => ({
      ...renamed(body, { model: "model", dimensions: "output_dimension" }),
      texts: textsOf(body),
      // Required there; most vectors are of documents to search.
      input_type: purposes[String(body.input_type)] ?? "search_document",
      embedding_types: ["float"],
    }),
    fromProvider(value) {
      if (!isJson(value) || !isJson(value.embeddings) || !Array.isArray(value.embeddings.float)) return null;
      const billed = isJson(value.meta) && isJson(value.meta.billed_units) ? value.meta.billed_units : {};
      return {
        data: value.embeddings.float.map((embedding: unknown, index) => ({ index, embedding })),
        usage: { prompt_tokens: billed.input_tokens },
      };
    },
  },
});
