import { RerankRequest, RerankResult } from "#contract/rerank.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";

export const rerankDeclaration: OperationDeclaration<RerankRequest, RerankResult> = {
  request: RerankRequest,
  answer: RerankResult,
  body: "documents",
  operationId: "inference-rerank",
  summary: "Rerank documents",
  description:
    "Orders documents by how well they answer the query. `index` is a document's position in the request; " +
    "`document` is left out with `return_documents: false`. Takes one `model`, and is not streamed.",
  example: {
    request: {
      model: "sandbox/rerank",
      query: "Which city lies on the Seine?",
      documents: ["Vienna lies on the Danube.", "Paris lies on the Seine."],
      top_n: 1,
    },
    answer: {
      id: "rerank-01a20830-ab16-7748-9962-b883b5d9e50b",
      model: "sandbox/rerank",
      provider: "Sandbox France",
      results: [{ index: 1, relevance_score: 0.5536, document: { text: "Paris lies on the Seine." } }],
      usage: {
        prompt_tokens: 0,
        total_tokens: 0,
        search_units: 1,
        cost: 0.0005,
        cost_currency: "USD",
        cost_eur: 0.000431,
        is_byok: false,
        cost_details: {
          upstream_inference_cost: 0.0005,
          upstream_inference_prompt_cost: 0,
          upstream_inference_completions_cost: 0,
        },
      },
      meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
    },
  },
};
