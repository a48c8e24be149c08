import { z } from "zod";
import { pageLimitOr } from "./common.ts";
import { list } from "./list.ts";

const ModelId = z.string().min(1).max(200);

/** The query of Anthropic's list of models. */
export const AnthropicModelListQuery = z.object({
  limit: pageLimitOr(20, 1_000).describe("Maximum number of models to return, 1 to 1,000; 20 if omitted."),
  after_id: ModelId.describe("ID of a model. Returns the models after it.").optional(),
  before_id: ModelId.describe("ID of a model. Returns the models directly before it.").optional(),
  lifecycle: list(z.enum(["active", "deprecated", "retired"]))
    .max(3)
    .describe("Stages of the models to return. Every model of an installation is `active`.")
    .optional(),
});
export type AnthropicModelListQuery = z.infer<typeof AnthropicModelListQuery>;

const alwaysNull = z.null().describe("Always null: the catalogue does not have it.");

/** One model as Anthropic's clients know it. */
export const AnthropicModel = z
  .object({
    type: z.literal("model").describe("Object type, always `model`."),
    id: z.string().describe("Model ID to send in requests, in the form `author/name`."),
    display_name: z.string().describe("Display name of the model."),
    created_at: z.string().describe("Time of the catalogue's date, the same for every model."),
    max_input_tokens: z
      .int()
      .nullable()
      .describe("Largest context window among the model's endpoints, in tokens; null if unknown."),
    max_tokens: z
      .int()
      .nullable()
      .describe("Largest `max_tokens` that an endpoint of the model allows; null if unknown."),
    lifecycle: z.literal("active").describe("Stage of the model, always `active`."),
    deprecated_at: alwaysNull,
    retires_at: alwaysNull,
    line: alwaysNull,
    capabilities: alwaysNull,
  })
  .meta({ id: "AnthropicModel" });
export type AnthropicModel = z.infer<typeof AnthropicModel>;

export const AnthropicModelList = z
  .object({
    data: z.array(AnthropicModel).describe("The models on this page, by ID."),
    has_more: z.boolean().describe("Whether there are more models in the direction of the page."),
    first_id: z.string().nullable().describe("ID of the first model on the page; null if it is empty."),
    last_id: z.string().nullable().describe("ID of the last model on the page; null if it is empty."),
  })
  .meta({ id: "AnthropicModelList" });
export type AnthropicModelList = z.infer<typeof AnthropicModelList>;
