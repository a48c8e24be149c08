import { embeddingElements } from "../wires/openai-embeddings/wire.ts";
import { jsonKind, renamed } from "./json-kind.ts";
import { bearer, listsModels } from "./kind.ts";

/** Fields that every server with this operation accepts; strict ones would refuse others. */
const rerankFields = {
  model: "model",
  query: "query",
  documents: "documents",
  top_n: "top_n",
  return_documents: "return_documents",
};

/** Everything with OpenAI's HTTP API: most European providers, vLLM, Ollama, llama.cpp. */
export const openAiCompatible = jsonKind(
  "openai-compatible",
  "OpenAI-compatible",
  {
    completions: { path: "/completions" },
    chat: { path: "/chat/completions" },
    responses: { path: "/responses" },
    embeddings: {
      path: "/embeddings",
      toProvider: ({ input_type: _, ...body }) => body,
      lacks: ["input_type"],
      elements: embeddingElements,
    },
    rerank: {
      path: "/rerank",
      toProvider: (body) => renamed(body, rerankFields),
      lacks: ["user", "max_tokens_per_doc", "max_chunks_per_doc", "truncation", "priority"],
    },
  },
  listsModels(bearer),
);
