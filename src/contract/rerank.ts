import { z } from "zod";
import { AnyJson, LongText, recordOf } from "./bounded.ts";
import { ModelName, RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { Charge, CostDetails } from "./usage.ts";

/** What operations with one whole answer from one model do not take. */
export const unstreamed = {
  /** May be left out where a rule names it. */
  model: ModelName.optional(),
  models: z
    .null({ error: "is not taken here: scores and vectors of two models cannot be compared" })
    .optional(),
  stream: z.literal(false, { error: "must be false: this answer is not streamed" }).nullish(),
};

const documentError = { error: "must be a text, or an object with `text` or with one of the `rank_fields`" };
const RerankDocument = z.union([LongText, recordOf(AnyJson, { max: 100 })], documentError);
const Query = LongText.min(1, "must not be empty");

/** `POST /rerank` (interface.md 9.1). Documents are at most 1,000. */
export const RerankRequest = RoutedRequest.extend({
  ...unstreamed,
  query: z.union([Query, z.object({ text: Query })], { error: "must be a text or an object with `text`" }),
  documents: list(RerankDocument)
    .min(1, "must hold 1 to 1000 documents")
    .max(1000, "must hold 1 to 1000 documents"),
  top_n: z.number().int().min(1).nullish(),
  /** Voyage's name for `top_n`. */
  top_k: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  rank_fields: list(z.string().min(1).max(256))
    .min(1)
    .max(100)
    .refine((names) => new Set(names).size === names.length, "names a field twice")
    .nullish(),
  max_tokens_per_doc: z.number().int().min(1).nullish(),
  max_chunks_per_doc: z.number().int().min(1).nullish(),
  truncation: z.boolean().nullish(),
  priority: z.number().int().nullish(),
})
  .superRefine(({ documents, rank_fields: fields }, context) => {
    for (const [index, document] of documents.entries())
      if (documentText(document, fields) === null)
        context.addIssue({ code: "custom", path: ["documents", index], message: documentError.error });
  })
  .meta({ id: "RerankRequest" });
export type RerankRequest = z.infer<typeof RerankRequest>;

/** What of a document is ranked: its text, or its `rank_fields` as `name: value` lines. Null when it has neither. */
export function documentText(
  document: z.infer<typeof RerankDocument>,
  fields: readonly string[] | null | undefined,
): string | null {
  if (typeof document === "string") return document;
  if (!fields) return typeof document.text === "string" ? document.text : null;
  const lines = fields.flatMap((name) => {
    const value = document[name];
    if (value == null) return [];
    return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
  return lines.length === 0 ? null : lines.join("\n");
}

const Count = z.number().int();

export const RerankResult = z
  .object({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.object({
        index: Count,
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    ),
    usage: Charge.extend({
      prompt_tokens: Count,
      total_tokens: Count,
      search_units: Count,
      cost_details: CostDetails.pick({
        upstream_inference_cost: true,
        upstream_inference_prompt_cost: true,
        upstream_inference_completions_cost: true,
      }),
    }),
    provider: z.string(),
  })
  .meta({ id: "RerankResult" });
export type RerankResult = z.infer<typeof RerankResult>;
