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
  }),
  encoding_format: z.enum(["float", "base64"], { error: "must be float or base64" }).nullish(),
  dimensions: z.number().int().min(1).max(65_536).nullish(),
  input_type: z.enum(["query", "document"], { error: "must be query or document" }).nullish(),
}).meta({ id: "EmbeddingRequest" });
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>;

const Count = z.number().int();

export const EmbeddingList = z
  .object({
    id: z.string(),
    object: z.literal("list"),
    model: z.string(),
    provider: z.string(),
    data: z.array(
      z.object({
        object: z.literal("embedding"),
        index: Count,
        embedding: z
          .union([z.array(z.number()), z.string()])
          .describe("Numbers, or with base64 their bytes as little-endian 32-bit floats"),
      }),
    ),
    usage: Charge.extend({
      prompt_tokens: Count,
      total_tokens: Count,
      cost_details: CostDetails.pick({ upstream_inference_cost: true, upstream_inference_prompt_cost: true }),
    }),
  })
  .meta({ id: "EmbeddingList" });
export type EmbeddingList = z.infer<typeof EmbeddingList>;
