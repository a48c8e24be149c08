import { z } from "zod";
import { RoutedRequest } from "./completions.ts";
import { unstreamed } from "./rerank.ts";
import { Charge, CostDetails } from "./usage.ts";

const inputsMax = 2048;

type Input = string | string[] | number[] | number[][];

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isToken = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;
const areTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every(isToken);

/** Looked at by hand: a million tokens in four schemas that could hold them take a second. */
function isInput(value: unknown): value is Input {
  if (!Array.isArray(value)) return isText(value);
  if (typeof value[0] === "number") return areTokens(value);
  if (value.length === 0 || value.length > inputsMax) return false;
  return value.every(isText) || value.every(areTokens);
}

const textShape = { type: "string", minLength: 1 } as const;
const tokensShape = { type: "array", minItems: 1, items: { type: "integer", minimum: 0 } } as const;
const several = { type: "array", minItems: 1, maxItems: inputsMax } as const;
/** The same for documents. */
const inputShape = {
  anyOf: [textShape, { ...several, items: textShape }, tokensShape, { ...several, items: tokensShape }],
};

/** `POST /embeddings`, OpenAI's; `input_type` is Cohere's and Voyage's word for what the vectors are for. */
export const EmbeddingRequest = RoutedRequest.extend({
  ...unstreamed,
  input: z
    .custom<Input>(isInput, `must be a text, tokens, or 1 to ${inputsMax} of either; none of them empty`)
    .meta({ override: inputShape }),
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
