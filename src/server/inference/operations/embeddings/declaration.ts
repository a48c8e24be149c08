import { EmbeddingList, EmbeddingRequest } from "#contract/embeddings.ts";
import type { OperationDeclaration } from "../shared/declaration.ts";

export const embeddingsDeclaration: OperationDeclaration<EmbeddingRequest, EmbeddingList> = {
  request: EmbeddingRequest,
  answer: EmbeddingList,
  body: "embedding",
  operationId: "inference-embeddings",
  summary: "Create embeddings",
  description:
    "A vector for each input: numbers, or with `encoding_format: base64` their bytes as little-endian 32-bit " +
    "floats. Takes one `model`, since vectors of two models cannot be compared, and a body of 4 MiB at most.",
  example: {
    request: { model: "sandbox/embed", input: ["Vienna lies on the Danube."], dimensions: 4 },
    answer: {
      id: "emb-01a20830-aaf1-747b-a584-cbb4bd58165c",
      object: "list",
      model: "sandbox/embed",
      provider: "Sandbox France",
      data: [{ object: "embedding", index: 0, embedding: [-0.5, 0.5, 0.5, -0.5] }],
      usage: {
        prompt_tokens: 6,
        total_tokens: 6,
        cost: 0.00000006,
        cost_currency: "USD",
        cost_eur: 0.00000005,
        is_byok: false,
        cost_details: {
          upstream_inference_cost: 0.00000006,
          upstream_inference_prompt_cost: 0.00000006,
          upstream_inference_completions_cost: 0,
        },
      },
    },
  },
};
