import { uuidv7 } from "#server/platform/ids.ts";
import type { Operation } from "./operation.ts";
import { jsonReply, nothingCounted } from "./reply.ts";
import { parseBody, RerankRequest } from "./request.ts";
import { countTokens } from "./text.ts";

const saturation = 1.2;
const lengthWeight = 0.75;
const documentsPerSearchUnit = 100;

const terms = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Okapi BM25 of each document, brought into 0..1 by s / (s + 1) so that it does not hang on the others' best. */
export function bm25(query: string, documents: readonly string[]): number[] {
  const bags = documents.map(terms);
  const averageLength = bags.reduce((sum, bag) => sum + bag.length, 0) / documents.length || 1;
  const wanted = [...new Set(terms(query))].map((term) => {
    const holders = bags.filter((bag) => bag.includes(term)).length;
    return { term, rarity: Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5)) };
  });
  return bags.map((bag) => {
    const score = wanted.reduce((sum, { term, rarity }) => {
      const frequency = bag.filter((word) => word === term).length;
      const damping = saturation * (1 - lengthWeight + (lengthWeight * bag.length) / averageLength);
      return sum + (rarity * frequency * (saturation + 1)) / (frequency + damping);
    }, 0);
    return score / (score + 1);
  });
}

/** `POST /rerank`, in the shape of Cohere's version 2. */
export const rerank: Operation = (body) => {
  const request = parseBody(RerankRequest, body);
  const documents = request.documents.map((document) =>
    typeof document === "string" ? document : document.text,
  );
  const scores = bm25(request.query, documents);
  const results = documents
    .map((text, index) => ({
      index,
      relevance_score: scores[index] ?? 0,
      ...(request.return_documents ? { document: { text } } : {}),
    }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, request.top_n ?? documents.length);
  const searchUnits = Math.ceil(documents.length / documentsPerSearchUnit);
  const promptTokens = [request.query, ...documents].reduce((sum, text) => sum + countTokens(text), 0);
  return jsonReply(
    {
      id: uuidv7(),
      model: request.model,
      results,
      meta: { api_version: { version: "2" }, billed_units: { search_units: searchUnits } },
    },
    { ...nothingCounted, prompt_tokens: promptTokens, search_units: searchUnits },
  );
};
