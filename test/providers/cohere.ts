// Cohere: docs.cohere.com (v2 embed and rerank, compatibility API, errors), and the request types of cohere-ai.
import { json } from "#test/dialects/dialect.ts";
import { embeddingsOf, inputsOf, rerankOf, scores, vectors } from "./embeddings.ts";
import type { Mock, Refusal } from "./mock.ts";
import { chatRoute, openAiError, toolRules } from "./openai-chat.ts";
import { list, number, oneOf, type Problem, pathText, record, text } from "./shape.ts";

const failure = (status: number, message: string): Refusal => ({ status, body: { message } });
const refuse = ({ path, kind, message }: Problem): Refusal =>
  failure(
    kind === "unknown" ? 422 : 400,
    `${pathText(path)}: ${kind === "unknown" ? "unknown field" : message}`,
  );

export const cohere: Mock = {
  name: "cohere",
  kind: "cohere",
  basePath: "/v2",
  models: ["command-a-03-2025"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    chatRoute({
      path: /^\/compatibility\/v1\/chat\/completions$/,
      rules: [
        ...toolRules,
        ({ temperature }) =>
          typeof temperature === "number" && temperature > 1
            ? openAiError(400, "temperature must be between 0 and 1.0")
            : null,
      ],
    }),
    embeddingsOf({
      path: /^\/v2\/embed$/,
      fields: {
        model: text,
        texts: list(text, { min: 1, max: 96 }),
        images: list(text),
        inputs: list(record),
        input_type: oneOf("search_document", "search_query", "classification", "clustering", "image"),
        embedding_types: list(text),
        output_dimension: number(1),
        max_tokens: number(1),
        truncate: oneOf("NONE", "START", "END"),
      },
      required: ["model", "input_type"],
      refuse,
      answer: ({ texts }) =>
        json({
          embeddings: { float: vectors(inputsOf(texts)) },
          meta: { billed_units: { input_tokens: 7 } },
        }),
    }),
    rerankOf({
      path: /^\/v2\/rerank$/,
      fields: {
        model: text,
        query: text,
        documents: list(text, { min: 1 }),
        top_n: number(1),
        max_tokens_per_doc: number(1),
        priority: number(),
      },
      refuse,
      answer: ({ documents }) =>
        json({ id: "r1", results: scores(documents), meta: { billed_units: { search_units: 1 } } }),
    }),
  ],
  unauthorized: failure(401, "invalid api token"),
  notFound: failure(404, "404 page not found"),
  failures: {
    "too long": failure(400, "too many tokens: the total number of tokens cannot exceed 8192"),
    "rate limit": failure(429, "trial token rate limit exceeded"),
    overloaded: failure(503, "service unavailable"),
  },
};
