import { z } from "zod";
import { AnyJson, LongText, recordOf } from "./bounded.ts";
import { ModelName, RoutedRequest } from "./completions.ts";
import { list } from "./list.ts";
import { Charge, CostDetails } from "./usage.ts";

/** What operations with one whole answer from one model do not take. */
export const unstreamed = {
  model: ModelName.optional().describe(
    "ID or alias of the model, optionally with the suffix `:nitro`, `:floor` or `:free`. Required unless a preset or a routing rule names one. `@preset/name` uses a preset.",
  ),
  models: z
    .null({ error: "is not taken here: scores and vectors of two models cannot be compared" })
    .optional()
    .describe(
      "Not supported: must be null or left out, since scores and vectors of different models cannot be compared.",
    ),
  stream: z
    .literal(false, { error: "must be false: this answer is not streamed" })
    .nullish()
    .describe("Must be false, null or left out: the answer is not streamed."),
};

const documentError = { error: "must be a text, or an object with `text` or with one of the `rank_fields`" };
const RerankDocument = z.union([LongText, recordOf(AnyJson, { max: 100 })], documentError);
const Query = LongText.min(1, "must not be empty");

/** `POST /rerank`. Documents are at most 1,000. */
export const RerankRequest = RoutedRequest.extend({
  ...unstreamed,
  query: z
    .union([Query, z.object({ text: Query.describe("Text of the query.") })], {
      error: "must be a text or an object with `text`",
    })
    .describe("Query to rank the documents by, as text or as an object with `text`."),
  documents: list(RerankDocument)
    .min(1, "must hold 1 to 1000 documents")
    .max(1000, "must hold 1 to 1000 documents")
    .describe(
      "Documents to rank, 1 to 1,000: texts, or objects with `text` or with fields named in `rank_fields`.",
    ),
  top_n: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of results to return; all documents by default."),
  top_k: z.number().int().min(1).nullish().describe("Other name of `top_n`, which takes precedence."),
  return_documents: z
    .boolean()
    .nullish()
    .describe("Whether results include the text of the document; true by default."),
  rank_fields: list(z.string().min(1).max(256))
    .min(1)
    .max(100)
    .refine((names) => new Set(names).size === names.length, "names a field twice")
    .nullish()
    .describe("Fields of document objects to rank by, 1 to 100, instead of `text`."),
  max_tokens_per_doc: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Number of tokens after which the provider cuts off a document, where it supports this."),
  max_chunks_per_doc: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe("Maximum number of chunks a document is split into, for providers that split documents."),
  truncation: z
    .boolean()
    .nullish()
    .describe("Whether documents that are too long for the model are cut off; with false they are an error."),
  priority: z
    .number()
    .int()
    .nullish()
    .describe("Priority of the request at the provider, where it supports this."),
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
    id: z.string().describe("ID of the result: `rerank-` and the ID of the generation."),
    model: z.string().describe("ID of the model that served the request."),
    results: z
      .array(
        z.object({
          index: Count.describe("Position of the document in the request, from 0."),
          relevance_score: z
            .number()
            .describe("Relevance of the document to the query; higher is more relevant."),
          document: z
            .object({
              text: z
                .string()
                .describe("Text that was ranked; with `rank_fields`, a `name: value` line for each field."),
            })
            .optional()
            .describe("The document that was ranked; left out with `return_documents: false`."),
        }),
      )
      .describe("Ranked documents, most relevant first."),
    usage: Charge.extend({
      prompt_tokens: Count.describe(
        "Number of input tokens; 0 when the provider bills by search units only.",
      ),
      total_tokens: Count.describe("Same as `prompt_tokens`."),
      search_units: Count.describe(
        "Number of search units; where the provider reports none, one for every 100 documents or part of it.",
      ),
      cost_details: CostDetails.pick({
        upstream_inference_cost: true,
        upstream_inference_prompt_cost: true,
        upstream_inference_completions_cost: true,
      }).describe("Price of the request at the provider and its parts, in US dollars."),
    }).describe("Tokens used and amount charged."),
    provider: z.string().describe("Name of the provider that served the request."),
    meta: z
      .object({
        api_version: z
          .object({ version: z.literal("2").describe("Always `2`.") })
          .describe("Version of Cohere's API whose clients can read the answer."),
        billed_units: z
          .object({
            search_units: Count.describe("Same as `usage.search_units`."),
            input_tokens: Count.optional().describe(
              "Number of input tokens; left out when the provider bills by search units only.",
            ),
          })
          .describe("What is billed, as Cohere's clients read it."),
      })
      .describe("Version and billed units, as Cohere's clients read them."),
  })
  .meta({ id: "RerankResult" });
export type RerankResult = z.infer<typeof RerankResult>;
