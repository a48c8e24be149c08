import type { EmbeddingRequest } from "#contract/embeddings.ts";
import { usageFromOpenAi } from "#server/billing/index.ts";
import { malformed, unsupported } from "#server/inference/pipeline/failures.ts";
import type { Chunk, Wire } from "#server/inference/pipeline/operation.ts";
import { completeOnly } from "../shared/complete-only.ts";
import { isJson, type Json } from "../shared/json.ts";
import { vectorJson } from "./vectors.ts";

export interface EmbeddingChunk extends Chunk {
  /** One for each input, in their order, each as the JSON the client gets. */
  readonly vectors: readonly string[];
}

/** The inputs of a request, each a text or its tokens. */
export function inputsOf({
  input,
}: Pick<EmbeddingRequest, "input">): readonly (string | readonly number[])[] {
  if (typeof input === "string") return [input];
  const inputs: (string | readonly number[])[] = [];
  for (const one of input) {
    // Numbers in a row are the tokens of one input.
    if (typeof one === "number") return [input as number[]];
    inputs.push(one);
  }
  return inputs;
}

const isPlace = (value: unknown, count: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count;

/** The list of an answer in OpenAI's JSON: each vector gets its last form as it comes. */
export const embeddingElements = {
  name: "data",
  read: (value: unknown, text: string, { encoding_format: format }: Json): unknown =>
    isJson(value) ? { index: value.index, embedding: vectorJson(value.embedding, format, text) } : value,
};

/** One vector for each input. Throws `AttemptError` when any is missing, given twice or not of the wanted length. */
export function readVectors(
  data: unknown,
  {
    count,
    dimensions,
    format,
  }: {
    readonly count: number;
    readonly dimensions: number | null | undefined;
    readonly format: EmbeddingRequest["encoding_format"];
  },
): string[] {
  if (!Array.isArray(data) || data.length !== count)
    throw malformed("it has not one vector for each input", 200);
  const vectors = new Array<string | undefined>(count);
  let length = dimensions ?? null;
  for (const [position, value] of data.entries()) {
    const { embedding, index = position } = isJson(value) ? value : {};
    if (!isPlace(index, count) || vectors[index] !== undefined)
      throw malformed("a vector belongs to no input", 200);
    const vector = vectorJson(embedding, format);
    if (!vector) throw malformed("a vector is missing", 200);
    length ??= vector.dimensions;
    if (length === 0 || !Number.isInteger(length) || vector.dimensions !== length)
      throw malformed("a vector has the wrong length", 200);
    vectors[index] = vector.json;
  }
  return vectors.filter((vector) => vector !== undefined);
}

/** Tokens under either of their names. */
const usageOf = (told: unknown) =>
  isJson(told) ? usageFromOpenAi({ prompt_tokens: told.prompt_tokens ?? told.total_tokens }) : null;

/** OpenAI's embeddings, there and back. */
export const nativeEmbeddings: Wire<EmbeddingRequest, EmbeddingChunk> = {
  api: "embeddings",
  encode(request, { upstreamModel, supportedParameters, model }) {
    const { input, encoding_format, dimensions, input_type, user } = request;
    const body: Json = { model: upstreamModel, input };
    // A vector of another length would be a wrong answer, not a lesser one.
    if (dimensions != null && dimensions !== model.embeddingDimensions) {
      if (supportedParameters.size > 0 && !supportedParameters.has("dimensions"))
        throw unsupported(`vectors of ${dimensions} dimensions`);
      body.dimensions = dimensions;
    }
    if (encoding_format != null) body.encoding_format = encoding_format;
    if (input_type != null) body.input_type = input_type;
    if (user != null) body.user = user;
    return body;
  },
  reader: (request) =>
    completeOnly((value) => {
      const { encoding_format: format, dimensions } = request;
      return {
        vectors: readVectors(value.data, { count: inputsOf(request).length, dimensions, format }),
        usage: usageOf(value.usage),
        hasContent: true,
        text: "",
        finishReason: null,
        nativeFinishReason: null,
      };
    }),
};
