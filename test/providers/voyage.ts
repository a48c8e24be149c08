// Voyage: docs.voyageai.com (embeddings, rerank, error codes), and the request types of voyageai.
import { json } from "#test/dialects/dialect.ts";
import { embeddingsOf, rerankOf, scores } from "./embeddings.ts";
import type { Mock, Refusal } from "./mock.ts";
import { flag, list, nullable, number, oneOf, type Problem, pathText, text, textOr } from "./shape.ts";

const failure = (status: number, detail: string): Refusal => ({ status, body: { detail } });
const refuse = ({ path, kind, message }: Problem): Refusal =>
  failure(
    400,
    kind === "unknown"
      ? `Argument '${pathText(path)}' is not supported by our API`
      : `${pathText(path)}: ${message}`,
  );

export const voyage: Mock = {
  name: "voyage",
  kind: "voyage",
  basePath: "/v1",
  models: ["voyage-3.5"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    embeddingsOf({
      path: /^\/v1\/embeddings$/,
      fields: {
        model: text,
        input: textOr(list(text, { min: 1, max: 1_000 })),
        input_type: nullable(oneOf("query", "document")),
        truncation: flag,
        output_dimension: nullable(number(1)),
        output_dtype: oneOf("float", "int8", "uint8", "binary", "ubinary"),
        encoding_format: nullable(oneOf("base64")),
      },
      refuse,
    }),
    rerankOf({
      path: /^\/v1\/rerank$/,
      fields: {
        model: text,
        query: text,
        documents: list(text, { min: 1, max: 1_000 }),
        top_k: nullable(number(1)),
        return_documents: flag,
        truncation: flag,
      },
      refuse,
      answer: ({ documents }) =>
        json({ object: "list", data: scores(documents), usage: { total_tokens: 7 } }),
    }),
  ],
  unauthorized: failure(401, "Provided API key is invalid."),
  notFound: failure(404, "Not Found"),
  failures: {
    "too long": failure(400, "The request has too many tokens."),
    "rate limit": failure(429, "You have exceeded your rate limit."),
    overloaded: failure(503, "Service unavailable"),
  },
};
