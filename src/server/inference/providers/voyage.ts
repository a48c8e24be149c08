import { embeddingElements } from "../wires/openai-embeddings/wire.ts";
import { isJson } from "../wires/shared/json.ts";
import { jsonKind, renamed, textsOf } from "./json-kind.ts";

/** Voyage AI's own API. Besides `base64` it knows no format name: numbers are the default. */
export const voyage = jsonKind("voyage", "Voyage AI", {
  rerank: {
    path: "/rerank",
    lacks: ["user", "max_tokens_per_doc", "max_chunks_per_doc", "priority"],
    toProvider: (body) =>
      renamed(body, {
        model: "model",
        query: "query",
        documents: "documents",
        top_n: "top_k",
        return_documents: "return_documents",
        truncation: "truncation",
      }),
    fromProvider: (value) => (isJson(value) ? { results: value.data, usage: value.usage } : null),
  },
  embeddings: {
    path: "/embeddings",
    lacks: ["user"],
    toProvider: (body) => ({
      ...renamed(body, { model: "model", input_type: "input_type", dimensions: "output_dimension" }),
      input: textsOf(body),
      ...(body.encoding_format === "base64" && { encoding_format: "base64" }),
    }),
    elements: embeddingElements,
  },
});
