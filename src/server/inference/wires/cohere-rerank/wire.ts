import { documentText, type RerankRequest } from "#contract/rerank.ts";
import { estimateTokens, noUsage, type Usage, usageFigures } from "#server/billing/index.ts";
import { malformed } from "#server/inference/pipeline/failures.ts";
import type { Chunk, Wire } from "#server/inference/pipeline/operation.ts";
import { completeOnly } from "../shared/complete-only.ts";
import { isJson, type Json } from "../shared/json.ts";

export interface Ranked {
  /** The document's position in the request. */
  readonly index: number;
  readonly relevance_score: number;
}

export interface RerankChunk extends Chunk {
  /** The best first. */
  readonly results: readonly Ranked[];
}

/** Documents one search unit pays for. */
export const documentsPerSearchUnit = 100;

export const queryText = ({ query }: RerankRequest): string =>
  typeof query === "string" ? query : query.text;

/** The documents as texts; the contract has seen to it that every one has some. */
export const documentTexts = ({ documents, rank_fields: fields }: RerankRequest): string[] =>
  documents.map((document) => documentText(document, fields) ?? "");

/** How many results the client gets. */
export const wantedCount = ({ documents, top_n: topN, top_k: topK }: RerankRequest): number =>
  Math.min(documents.length, topN ?? topK ?? documents.length);

/** Estimated tokens if none are reported: a reranker reads the query with every document. */
export function estimateRerank(request: RerankRequest): number {
  const query = estimateTokens(queryText(request));
  return documentTexts(request).reduce((sum, text) => sum + query + estimateTokens(text), 0);
}

function rankedOf(value: unknown, count: number, seen: Set<number>): Ranked {
  const { index, relevance_score: score } = isJson(value) ? value : {};
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
    throw malformed("a result names no document", 200);
  if (seen.has(index)) throw malformed("a document is ranked twice", 200);
  if (typeof score !== "number" || !Number.isFinite(score)) throw malformed("a result has no score", 200);
  seen.add(index);
  return { index, relevance_score: score };
}

/** The best `wanted` of an upstream's results, best first. Throws `AttemptError` when they do not fit the request. */
export function readResults(value: unknown, count: number, wanted: number): Ranked[] {
  if (!Array.isArray(value)) throw malformed("it has no results", 200);
  const seen = new Set<number>();
  const results = value.map((result) => rankedOf(result, count, seen));
  if (results.length < wanted) throw malformed("it ranks too few documents", 200);
  return results.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index).slice(0, wanted);
}

/** Tokens as Jina and vLLM report them, search units as Cohere does; missing ones are computed. */
function usageOf({ usage, meta }: Json, request: RerankRequest): Usage {
  const reported = isJson(usage) ? usage : {};
  const billed = isJson(meta) && isJson(meta.billed_units) ? meta.billed_units : {};
  const { count, implausible } = usageFigures();
  const tokens = count(reported.prompt_tokens) ?? count(reported.total_tokens) ?? count(billed.input_tokens);
  const searchUnits = count(reported.search_units) ?? count(billed.search_units);
  const estimated = tokens === null && searchUnits === null;
  return {
    ...noUsage,
    // Who bills by the search does not count tokens, and nothing is estimated that costs nothing.
    uncached: tokens ?? (estimated ? estimateRerank(request) : 0),
    searchUnits: searchUnits ?? Math.ceil(request.documents.length / documentsPerSearchUnit),
    estimated,
    implausible: implausible(),
  };
}

/** Jina's shape, there and back; documents go out as texts and are not sent back to us. */
export const nativeRerank: Wire<RerankRequest, RerankChunk> = {
  api: "rerank",
  encode(request, endpoint) {
    const { max_tokens_per_doc, max_chunks_per_doc, truncation, priority, user } = request;
    return {
      model: endpoint.upstreamModel,
      query: queryText(request),
      documents: documentTexts(request),
      top_n: wantedCount(request),
      return_documents: false,
      ...(max_tokens_per_doc != null && { max_tokens_per_doc }),
      ...(max_chunks_per_doc != null && { max_chunks_per_doc }),
      ...(truncation != null && { truncation }),
      ...(priority != null && { priority }),
      ...(user != null && { user }),
    };
  },
  reader: (request) =>
    completeOnly((value) => {
      return {
        results: readResults(value.results, request.documents.length, wantedCount(request)),
        usage: usageOf(value, request),
        hasContent: true,
        text: "",
        finishReason: null,
        nativeFinishReason: null,
      };
    }),
};
