// Vectors and scores, in the forms of the providers that return them.
import { json, type Sent } from "#test/dialects/dialect.ts";
import { type Refusal, type Route, type Rule, shaped } from "./mock.ts";
import { type Check, type Json, object, type Problem } from "./shape.ts";

export const vectors = (texts: number): readonly (readonly number[])[] =>
  Array.from({ length: texts }, (_, at) => [0.5, -0.25, at]);
export const inputsOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

const asBase64 = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64");
/** OpenAI's list of vectors. */
export const vectorList = ({ input, encoding_format: format }: Json): Sent =>
  json({
    object: "list",
    data: vectors(inputsOf(input)).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: format === "base64" ? asBase64(vector) : vector,
    })),
    model: "model-of-theirs",
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });

interface Single {
  readonly path: RegExp;
  readonly fields: Readonly<Record<string, Check>>;
  readonly required?: readonly string[];
  readonly refuse: (problem: Problem) => Refusal;
  readonly rules?: readonly Rule[];
  readonly answer?: (body: Json) => Sent;
}
const single =
  (api: Route["api"], requiredByDefault: readonly string[], answerByDefault: (body: Json) => Sent) =>
  ({
    path,
    fields,
    required = requiredByDefault,
    refuse,
    rules = [],
    answer = answerByDefault,
  }: Single): Route => ({
    api,
    path,
    rules: [shaped(object(fields, required), refuse), ...rules],
    streams: () => false,
    answer: ({ body }) => answer(body),
  });

export const scores = (documents: unknown) =>
  Array.from({ length: inputsOf(documents) }, (_, index) => ({
    index,
    relevance_score: 1 / (index + 1),
  }));
/** The operation that turns texts into vectors. */
export const embeddingsOf = single("embeddings", ["model", "input"], vectorList);
/** The operation that ranks documents. */
export const rerankOf = single("rerank", ["model", "query", "documents"], ({ documents }) =>
  json({ id: "r1", model: "model-of-theirs", results: scores(documents), usage: { total_tokens: 7 } }),
);
