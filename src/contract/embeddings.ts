import { z } from "zod";
import { RoutedRequest } from "./completions.ts";
import { unstreamed } from "./rerank.ts";
import { bodyBytesMax } from "./sizes.ts";
import { textsMax, textsOrTokens } from "./texts-or-tokens.ts";
import { Charge, CostDetails } from "./usage.ts";

/** `POST /embeddings`, OpenAI's; `input_type` is Cohere's and Voyage's word for what the vectors are for. */
export const EmbeddingRequest = RoutedRequest.extend({
  ...unstreamed,
  input: textsOrTokens({
    charsMin: 1,
    charsMax: bodyBytesMax.embedding,
    what: `a text, tokens, or 1 to ${textsMax} of either; none of them empty`,
  }).describe("Text or token IDs to embed, or a list of up to 2,048 of either; none may be empty."),
  encoding_format: z
    .enum(["float", "base64"], { error: "must be float or base64" })
    .nullish()
    .describe("Format of the vectors: `float` for arrays of numbers (default), or `base64`."),
  dimensions: z
    .number()
    .int()
    .min(1)
    .max(65_536)
    .nullish()
    .describe("Number of dimensions of the vectors, 1 to 65,536; the model's own by default."),
  input_type: z
    .enum(["query", "document"], { error: "must be query or document" })
    .nullish()
    .describe("What the vectors are for: `query` for search queries, `document` for texts to be searched."),
}).meta({ id: "EmbeddingRequest" });
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>;

const Count = z.number().int();

export const EmbeddingList = z
  .object({
    id: z.string().describe("ID of the result: `emb-` and the ID of the generation."),
    object: z.literal("list").describe("Always `list`."),
    model: z.string().describe("ID of the model that served the request."),
    provider: z.string().describe("Name of the provider that served the request."),
    data: z
      .array(
        z.object({
          object: z.literal("embedding").describe("Always `embedding`."),
          index: Count.describe("Position of the input, from 0."),
          embedding: z
            .union([z.array(z.number()), z.string()])
            .describe(
              "Vector as an array of numbers, or with `base64` the bytes of its numbers as little-endian 32-bit floats.",
            ),
        }),
      )
      .describe("Vectors, one for each input, in the order of the inputs."),
    usage: Charge.extend({
      prompt_tokens: Count.describe("Number of input tokens."),
      total_tokens: Count.describe("Same as `prompt_tokens`."),
      cost_details: CostDetails.pick({
        upstream_inference_cost: true,
        upstream_inference_prompt_cost: true,
        upstream_inference_completions_cost: true,
      }).describe("Price of the request at the provider and its parts, in US dollars."),
    }).describe("Tokens used and amount charged."),
  })
  .meta({ id: "EmbeddingList" });
export type EmbeddingList = z.infer<typeof EmbeddingList>;
