// Jina: api.jina.ai/redoc (embeddings, rerank). Validation errors have pydantic's form.
import { embeddingsOf, rerankOf } from "./embeddings.ts";
import type { Mock, Refusal } from "./mock.ts";
import { any, flag, list, number, type Problem, text } from "./shape.ts";

const failure = (status: number, detail: unknown): Refusal => ({ status, body: { detail } });
const refuse = ({ path, kind, message }: Problem): Refusal =>
  failure(422, [
    {
      type: kind === "unknown" ? "extra_forbidden" : "value_error",
      loc: ["body", ...path],
      msg: kind === "unknown" ? "Extra inputs are not permitted" : message,
    },
  ]);

export const jina: Mock = {
  name: "jina",
  kind: "jina",
  basePath: "/v1",
  models: ["jina-embeddings-v3"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: {
        model: text,
        input: any,
        task: text,
        dimensions: number(1),
        embedding_type: any,
        normalized: flag,
        late_chunking: flag,
        truncate: flag,
      },
      refuse,
    }),
    rerankOf({
      path: /^\/v1\/rerank$/,
      fields: {
        model: text,
        query: any,
        documents: list(any, { min: 1 }),
        top_n: number(1),
        return_documents: flag,
        truncation: flag,
        max_doc_length: number(1),
      },
      refuse,
    }),
  ],
  unauthorized: failure(401, "Invalid API key"),
  notFound: failure(404, "Not Found"),
  failures: {
    "rate limit": failure(429, "Per IP rate limit exceeded"),
    overloaded: failure(503, "Service unavailable"),
  },
};
