import type { Operation } from "./operation.ts";
import { jsonReply, nothingCounted } from "./reply.ts";
import { EmbeddingRequest, parseBody, textsOf } from "./request.ts";
import { hashText } from "./seeded.ts";
import { countTokens } from "./text.ts";

const dimensionsByDefault = 256;

/** Words and their letter triples: texts that share some come to lie near each other. */
function features(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    const framed = `^${word}$`;
    return [
      word,
      ...Array.from({ length: Math.max(0, framed.length - 2) }, (_, at) => framed.slice(at, at + 3)),
    ];
  });
}

/** Hashes each feature to a place and a sign, and scales to length 1. */
export function embed(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const feature of [...features(text), "\u0000"]) {
    const hash = hashText(feature);
    const place = (hash >>> 1) % dimensions;
    vector[place] = (vector[place] ?? 0) + (hash & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** `POST /embeddings`. */
export const embeddings: Operation = (body) => {
  const request = parseBody(EmbeddingRequest, body);
  const texts = textsOf(request.input);
  const promptTokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const data = texts.map((text, index) => {
    const vector = embed(text, request.dimensions ?? dimensionsByDefault);
    const embedding =
      request.encoding_format === "base64"
        ? Buffer.from(vector.buffer).toString("base64")
        : Array.from(vector);
    return { object: "embedding", index, embedding };
  });
  return jsonReply(
    {
      object: "list",
      data,
      model: request.model,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    },
    { ...nothingCounted, prompt_tokens: promptTokens },
  );
};
