import type { RerankRequest, RerankResult } from "#contract/rerank.ts";
import { type Cost, promptTokens, type Usage } from "#server/billing/index.ts";
import type { Operation } from "#server/inference/pipeline/operation.ts";
import { chargeOf, servedBy } from "#server/inference/pipeline/result.ts";
import { bytesPerTokenMax, templateTokens } from "#server/inference/pipeline/token-bounds.ts";
import {
  documentsPerSearchUnit,
  documentTexts,
  estimateRerank,
  nativeRerank,
  queryText,
  type RerankChunk,
} from "#server/inference/wires/cohere-rerank/wire.ts";
import { prefixedId } from "#server/platform/ids.ts";
import { numberFromPico } from "#server/platform/money.ts";

/** A longer document, including the query, counts as several. */
const tokensPerPiece = 500;
const tokensPerPieceMin = 50;
const tokensPerDocumentDefault = 4096;

/** Documents and pieces of documents that may be billed; a token is at least one byte. */
function piecesMax(request: RerankRequest, queryTokens: number, documents: readonly string[]): number {
  const cut = request.max_tokens_per_doc ?? tokensPerDocumentDefault;
  const room = Math.max(tokensPerPieceMin, tokensPerPiece - queryTokens);
  let pieces = 0;
  for (const text of documents)
    pieces += Math.max(1, Math.ceil(Math.min(Buffer.byteLength(text), cut) / room));
  return pieces;
}

/** Usage and charge as in the rerank object. */
function rerankUsage(usage: Usage, cost: Cost): RerankResult["usage"] {
  const prompt = promptTokens(usage);
  const { upstream } = cost;
  return {
    prompt_tokens: prompt,
    total_tokens: prompt,
    search_units: usage.searchUnits,
    ...chargeOf(cost),
    cost_details: {
      upstream_inference_cost: numberFromPico(upstream.total),
      upstream_inference_prompt_cost: numberFromPico(upstream.prompt),
      upstream_inference_completions_cost: numberFromPico(upstream.completion),
    },
  };
}

/** The version and the billed units as Cohere's clients read them. */
function cohereMeta(usage: Usage): RerankResult["meta"] {
  const tokens = promptTokens(usage);
  return {
    api_version: { version: "2" },
    billed_units: { search_units: usage.searchUnits, ...(tokens > 0 && { input_tokens: tokens }) },
  };
}

const wires = [nativeRerank];

/** `POST /rerank`: documents in the order in which they answer a query. */
export const rerank: Operation<RerankRequest, RerankChunk, RerankResult> = {
  name: "rerank",
  recorded: new Set(["top_n", "top_k", "return_documents", "max_tokens_per_doc", "truncation", "priority"]),
  estimate(request) {
    const queryBytes = Buffer.byteLength(queryText(request));
    const documents = documentTexts(request);
    const sizes = documents.map((text) => queryBytes + Buffer.byteLength(text));
    return {
      apis: ["rerank"],
      // Rerankers truncate long texts unless they are asked not to.
      promptTokensMin: request.truncation === false ? Math.floor(Math.max(...sizes) / bytesPerTokenMax) : 0,
      promptTokensMax: sizes.reduce((sum, size) => sum + size + templateTokens, 0),
      maxTokens: null,
      answers: 0,
      searchUnits: Math.ceil(piecesMax(request, queryBytes, documents) / documentsPerSearchUnit),
      // Counting, sorting and returning documents is done here, whatever the upstream supports.
      parameters: [],
    };
  },
  estimatePrompt: estimateRerank,
  wires: () => wires,
  content: (request, produced) => ({
    input: [
      { role: "user", parts: [{ type: "query", content: queryText(request) }] },
      { role: "user", parts: documentTexts(request).map((content) => ({ type: "document", content })) },
    ],
    output: produced.map(({ results }) => ({
      role: "assistant",
      parts: [{ type: "text", content: JSON.stringify(results) }],
    })),
  }),
  complete(answer, generation, request, { usage, cost }) {
    const { model, provider } = servedBy(generation);
    const documents = request.return_documents === false ? null : documentTexts(request);
    return {
      id: prefixedId("rerank", generation.id),
      model,
      results: answer.results.map(({ index, relevance_score }) => ({
        index,
        relevance_score,
        ...(documents && { document: { text: documents[index] ?? "" } }),
      })),
      usage: rerankUsage(usage, cost),
      provider,
      meta: cohereMeta(usage),
    };
  },
};
