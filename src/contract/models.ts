import { z } from "zod";
import { data, orList, Paging, pageLimit } from "./common.ts";
import { modelTypes } from "./inference-operations.ts";

const Count = z.int();
/** Decimal text in `currency`: for one token, request or search unit. */
const Amount = z.string();

export const ModelPricing = z.object({
  currency: z.enum(["USD", "EUR"]).describe("Currency of all prices in this object."),
  prompt: Amount.describe("Price of one input token, as a decimal string."),
  completion: Amount.describe("Price of one output token, as a decimal string."),
  request: Amount.describe("Price of one request on top of its tokens, as a decimal string."),
  search_unit: Amount.optional().describe(
    "Price of one search unit of a rerank request, as a decimal string; left out if there is none.",
  ),
  internal_reasoning: Amount.optional().describe(
    "Price of one reasoning token, as a decimal string; left out if it has no price of its own.",
  ),
  input_cache_read: Amount.optional().describe(
    "Price of one input token read from the provider's cache, as a decimal string; left out if it has no price of its own.",
  ),
  input_cache_write: Amount.optional().describe(
    "Price of one input token written to the provider's cache, as a decimal string; left out if it has no price of its own.",
  ),
});
export type ModelPricing = z.infer<typeof ModelPricing>;

/** What OpenRouter's clients require and the catalogue does not have. */
const unknownHere = z.null().describe("Always null; OpenRouter's clients require the field.");

/** One model as OpenAI's and OpenRouter's clients know it. */
export const ListedModel = z
  .object({
    id: z.string().describe("Model ID to send in requests, in the form `author/name`."),
    object: z.literal("model").describe("Object type, always `model`."),
    created: Count.describe("Unix time in seconds of the catalogue's date, the same for every model."),
    owned_by: z.string().describe("Author of the model: the part of the ID before the slash."),
    canonical_slug: z.string().describe("Same as `id`."),
    name: z.string().describe("Display name of the model."),
    description: z.string().describe("Short description of the model; empty if there is none."),
    category: z.string().describe(`Kind of model: ${orList(modelTypes.map((type) => `\`${type}\``))}.`),
    available: z
      .boolean()
      .describe("Whether this installation has a usable endpoint with a known price for the model."),
    context_length: Count.nullable().describe(
      "Largest context window among the model's endpoints, in tokens; null if unknown.",
    ),
    architecture: z
      .object({
        modality: z
          .string()
          .describe("Input and output modalities in one string, such as `text+image->text`."),
        input_modalities: z
          .array(z.string())
          .describe("Kinds of input the model accepts, such as `text` or `image`."),
        output_modalities: z
          .array(z.string())
          .describe("Kinds of output the model produces, such as `text`."),
        tokenizer: z.literal("Other").describe("Always `Other`: the catalogue does not name tokenizers."),
        instruct_type: unknownHere,
      })
      .describe("What the model takes as input and produces as output."),
    pricing: ModelPricing.nullable().describe(
      "Prices of the model's cheapest endpoint; null if no price is known.",
    ),
    top_provider: z
      .object({
        context_length: Count.nullable().describe(
          "Largest context window that an endpoint offers, in tokens; null if unknown.",
        ),
        max_completion_tokens: Count.nullable().describe(
          "Largest number of output tokens that an endpoint allows; null if unknown.",
        ),
        is_moderated: z
          .literal(false)
          .describe("Always false: requests are not moderated before they are sent to a provider."),
      })
      .describe("Largest limits among the model's endpoints; the two may come from different providers."),
    supported_parameters: z
      .array(z.string())
      .describe("Names of the request parameters that at least one of the model's endpoints supports."),
    supported_api_endpoints: z
      .array(z.string())
      .describe("Paths of the API operations that accept the model, such as `/api/v1/chat/completions`."),
    providers: z
      .array(
        z.object({
          name: z.string().describe("Display name of the provider."),
          slug: z.string().describe("Identifier of the provider, as used in `only`, `order` and `ignore`."),
        }),
      )
      .describe("Providers that serve the model; only usable ones if there are any."),
    per_request_limits: unknownHere,
    deprecation_date: z
      .string()
      .nullable()
      .describe("Day since which the model should not be used for anything new; null if none is announced."),
    expiration_date: z
      .string()
      .nullable()
      .describe("Day from which the model may no longer be served; null if none is announced."),
    successor: z
      .string()
      .nullable()
      .describe("ID of the model to use instead; null unless one is announced with one of the dates."),
    default_parameters: unknownHere,
    supported_voices: unknownHere,
    links: z
      .object({ details: z.string().describe("Path of the list of the model's endpoints.") })
      .describe("Where to read more about the model."),
  })
  .meta({ id: "Model" });
export type ListedModel = z.infer<typeof ListedModel>;

/** OpenRouter's clients send pages of 500. */
const pageMax = 1_000;
const ModelPaging = Paging.extend({
  limit: pageLimit(pageMax)
    .describe("Maximum number of models to return, 1 to 1,000. All are returned if omitted.")
    .optional(),
});

const Names = z.string().min(1).max(500);
const OutputModalities = Names.describe(
  "Comma-separated kinds of output, such as `text`, `embeddings` or `rerank`. Returns only models that produce one of " +
    "them; `all` for every model.",
).optional();

export const ModelListQuery = ModelPaging.extend({
  category: z
    .enum(modelTypes, { error: `must be ${orList(modelTypes)}` })
    .describe("Return only models of this kind.")
    .optional(),
  supported_parameters: Names.describe(
    "Comma-separated names of request parameters. Returns only models with an endpoint that supports all of them.",
  ).optional(),
  provider: z
    .string()
    .min(1)
    .max(200)
    .describe("Slug of a provider. Returns only models that this provider serves.")
    .optional(),
  input_modalities: Names.describe(
    "Comma-separated kinds of input, such as `text,image`. Returns only models that accept all of them.",
  ).optional(),
  output_modalities: OutputModalities,
  model_authors: Names.describe(
    "Comma-separated authors, such as `mistralai`. Returns only models of one of them.",
  ).optional(),
  q: z.string().min(1).max(200).describe("Text in the name or ID of the model, in any case.").optional(),
});
export type ModelListQuery = z.infer<typeof ModelListQuery>;

export const ModelList = z
  .object({
    object: z.literal("list").describe("Object type, always `list`."),
    data: z.array(ListedModel).describe("The models on this page: available ones first, then by ID."),
    total_count: Count.describe("Number of matching models, including those on other pages."),
    links: z
      .object({
        next: z
          .string()
          .nullable()
          .describe("Path of the next page; null on the last page and without `limit`."),
      })
      .describe("Where to read more models."),
  })
  .meta({ id: "ModelList" });
export type ModelList = z.infer<typeof ModelList>;

/** The models of one kind, or those a key can reach, in pages. */
export const ModelPageQuery = ModelPaging;
export const UserModelsQuery = ModelPaging.extend({ output_modalities: OutputModalities });
export const ModelCountQuery = z.object({ output_modalities: OutputModalities });
export const ModelCount = data(
  z
    .object({ count: Count.describe("Number of models that `GET /models` lists with the same filter.") })
    .describe("The number of models."),
);

const Percentiles = z.object({
  p50: z.number().describe("Median: half of the measurements are at or below this value."),
  p75: z.number().describe("75th percentile: 75% of the measurements are at or below this value."),
  p90: z.number().describe("90th percentile: 90% of the measurements are at or below this value."),
  p99: z.number().describe("99th percentile: 99% of the measurements are at or below this value."),
});

const ToolChoice = z.boolean().describe("Whether `tool_choice` is among `supported_parameters`.");

/** One provider's way of serving a model. */
export const ListedEndpoint = z.object({
  name: z.string().describe("Display name of the endpoint: the provider's name and the model ID."),
  tag: z
    .string()
    .describe(
      "Identifier of the endpoint in `only`, `order` and `ignore`: the provider's slug, with `/variant` if it has one.",
    ),
  model_id: z.string().describe("ID of the model, in the form `author/name`."),
  model_name: z.string().describe("Display name of the model."),
  provider_name: z.string().describe("Display name of the provider."),
  context_length: Count.describe(
    "Context window in tokens: the model's where the endpoint's is unknown, 0 if both are.",
  ),
  max_completion_tokens: Count.nullable().describe("Maximum number of output tokens; null if unknown."),
  max_prompt_tokens: Count.nullable().describe("Always null: the input is limited by `context_length` only."),
  pricing: ModelPricing.nullable().describe("Prices of the endpoint; null if unknown."),
  quantization: z
    .string()
    .describe(
      "Number format of the model's weights, such as `fp8` or `bf16`; `unknown` if no source states it.",
    ),
  supported_parameters: z
    .array(z.string())
    .describe("Names of the request parameters that the endpoint supports."),
  supported_api_endpoints: z
    .array(z.string())
    .describe("Paths of the API operations that the endpoint can serve, such as `/api/v1/chat/completions`."),
  supports_implicit_caching: z
    .boolean()
    .describe("Whether cached input has a price of its own at the endpoint."),
  supports_tool_choice: z
    .object({
      none: ToolChoice,
      auto: ToolChoice,
      required: ToolChoice,
      function: ToolChoice,
    })
    .describe("Values of `tool_choice` that the endpoint supports."),
  status: Count.describe(
    "State of the endpoint: 0 in use, -2 skipped for a while after failures, -10 not usable in this installation.",
  ),
  uptime_last_30m: z
    .number()
    .nullable()
    .describe(
      "Percentage of attempts that succeeded in the last 5 minutes, or in the last 30 if there were none; null if nothing was measured.",
    ),
  uptime_last_5m: unknownHere,
  uptime_last_1d: unknownHere,
  latency_last_30m: Percentiles.nullable().describe(
    "Seconds to the first content of a stream, measured in the last 5 minutes, or in the last 30 if there was nothing; null if nothing was measured.",
  ),
  throughput_last_30m: Percentiles.nullable().describe(
    "Output tokens per second, measured in the last 5 minutes, or in the last 30 if there was nothing; null if nothing was measured.",
  ),
});
export type ListedEndpoint = z.infer<typeof ListedEndpoint>;

export const ZdrEndpoints = z.object({
  data: z.array(ListedEndpoint).describe("The endpoints, by model ID."),
});

export const ModelEndpoints = z
  .object({
    data: ListedModel.pick({ id: true, name: true, created: true, description: true, architecture: true })
      .extend({
        endpoints: z.array(ListedEndpoint).describe("Endpoints of enabled providers that serve the model."),
      })
      .describe("The model and its endpoints."),
  })
  .meta({ id: "ModelEndpoints" });
