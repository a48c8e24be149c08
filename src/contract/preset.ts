import { z } from "zod";
import { answered } from "./answered.ts";
import { JsonObject, LongDescription } from "./bounded.ts";
import { ChatRequest, ChatTool } from "./chat.ts";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { ModelName } from "./completions.ts";
import { EmbeddingRequest } from "./embeddings.ts";
import { apis } from "./inference-operations.ts";
import { list } from "./list.ts";
import { ProviderPreferences } from "./preferences.ts";
import { presetPrefix } from "./preset-name.ts";
import { PresetName, VersionNumber } from "./preset-reference.ts";
import { Reasoning } from "./reasoning.ts";
import { RerankRequest } from "./rerank.ts";
import { sampling } from "./sampling.ts";
import { descriptionCharsMax } from "./sizes.ts";

const { shape: chat } = ChatRequest;

const ResponseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("json_object").describe("Any valid JSON object.") }),
  z.strictObject({
    type: z.literal("json_schema").describe("JSON that matches the schema."),
    json_schema: z
      .strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")
          .describe("Name of the format: 1 to 64 letters, digits, `_` or `-`."),
        description: LongDescription.nullish().describe("What the format is for, for the model to read."),
        schema: JsonObject.describe("JSON schema the answer has to match."),
        strict: z.boolean().nullish().describe("Whether the answer must match the schema exactly."),
      })
      .describe("The schema with its name."),
  }),
]);

const FunctionTool = z.strictObject({
  type: z
    .literal("function", { error: "must be function: a preset holds tools that every provider can take" })
    .describe("Always `function`."),
  function: z.strictObject(ChatTool.shape.function.unwrap().shape).describe("Definition of the function."),
});

/** What presets set of requests. `preset-fields.ts` says where each field goes in each operation. */
export const presetParameters = {
  max_tokens: chat.max_tokens.describe("Maximum number of tokens to generate, reasoning included."),
  temperature: sampling.temperature,
  top_p: sampling.top_p,
  top_k: sampling.top_k,
  min_p: sampling.min_p,
  top_a: sampling.top_a,
  frequency_penalty: sampling.frequency_penalty,
  presence_penalty: sampling.presence_penalty,
  repetition_penalty: sampling.repetition_penalty,
  seed: sampling.seed,
  stop: sampling.stop,
  logit_bias: sampling.logit_bias,
  reasoning: z.strictObject(Reasoning.shape).nullish().describe("Reasoning settings."),
  verbosity: chat.verbosity,
  response_format: ResponseFormat.nullish().describe("Required format of the answer."),
  tools: list(FunctionTool).min(1).max(64).nullish().describe("Functions the model may call, at most 64."),
  tool_choice: z
    .enum(["none", "auto", "required"], { error: "must be none, auto or required" })
    .nullish()
    .describe("Whether the model must call a function: `none`, `auto` or `required`."),
  parallel_tool_calls: chat.parallel_tool_calls,
  service_tier: chat.service_tier,
  dimensions: EmbeddingRequest.shape.dimensions,
  input_type: EmbeddingRequest.shape.input_type,
  top_n: RerankRequest.shape.top_n,
  return_documents: RerankRequest.shape.return_documents,
};

/** What a preset sets. An unknown field is refused: a request would lack what its author expects. */
export const PresetConfig = z
  .strictObject({
    models: list(
      ModelName.refine(
        (name) => !name.includes(presetPrefix),
        "must be a model: a preset cannot use another",
      ),
    )
      .min(1, "must name a model, or be left out")
      .max(20, "may name 20 models at most")
      .nullish()
      .describe("Models to try in this order, for requests that name none; 1 to 20."),
    provider: ProviderPreferences.nullish().describe(
      "Provider preferences, of which a request replaces those it sends itself.",
    ),
    ...presetParameters,
  })
  .meta({ id: "PresetConfig" });
export type PresetConfig = z.infer<typeof PresetConfig>;

/** A preset's fields of a request without its models and provider preferences. */
export type PresetParameter = keyof typeof presetParameters;
export const presetParameterNames = Object.keys(presetParameters) as readonly PresetParameter[];

const SystemPrompt = z
  .string()
  .min(1, "must not be empty; leave it out, or send null")
  .max(descriptionCharsMax, `may have ${descriptionCharsMax} characters at most`);
const Description = z.string().trim().max(1000, "may have 1,000 characters at most");

export const PresetVersion = z
  .object({
    id: Uuid.describe("ID of the version."),
    preset_id: Uuid.describe("ID of the preset."),
    version: z.number().int().describe("Number of the version, from 1."),
    system_prompt: z
      .string()
      .nullable()
      .describe("Text that precedes the messages of requests as a system message; null if there is none."),
    config: answered(PresetConfig).describe("Models, provider preferences and parameters."),
    operations: z
      .array(z.enum(apis))
      .describe("The operations that take everything the version sets. Others refuse the preset."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored `config` cannot be read; requests with this version are then refused. Null if it can be read.",
      ),
    restored_from: z
      .number()
      .int()
      .nullable()
      .describe("Number of the version that this one restored; null if it restored none."),
    creator_id: z.string().describe("ID of the user who created the version."),
    created_at: Timestamp.describe("Time the version was created."),
    updated_at: Timestamp.describe("The same as `created_at`: a version never changes."),
  })
  .meta({ id: "PresetVersion" });
export type PresetVersion = z.infer<typeof PresetVersion>;

/** As lists show it. `slug` and the three fields after `workspace_id` are for OpenRouter's clients. */
export const Preset = z
  .object({
    id: Uuid.describe("ID of the preset."),
    name: z
      .string()
      .describe(`Name of the preset: requests send it as \`preset\`, or as the model \`${presetPrefix}…\`.`),
    slug: z.string().describe("The same as `name`, as OpenRouter's clients read it."),
    description: z.string().nullable().describe("Description of the preset; null if there is none."),
    workspace_id: Uuid.nullable().describe(
      "ID of the workspace the preset belongs to: API keys of other workspaces cannot use it. Null for none.",
    ),
    status: z.literal("active").describe("Always `active`."),
    status_updated_at: z.null().describe("Always null; OpenRouter's clients require the field."),
    designated_version_id: Uuid.describe("ID of the current version."),
    version: z.number().int().describe("Number of the current version."),
    models: z.array(z.string()).nullable().describe("Models of the current version; null if it names none."),
    creator_user_id: z.string().describe("ID of the user who created the preset."),
    created_at: Timestamp.describe("Time the preset was created."),
    updated_at: Timestamp.describe("Time the preset was last changed."),
  })
  .meta({ id: "Preset" });
export type Preset = z.infer<typeof Preset>;

export const PresetWithVersion = Preset.extend({
  designated_version: PresetVersion.describe(
    "The current version, which requests use unless they name another.",
  ),
}).meta({ id: "PresetWithVersion" });
export type PresetWithVersion = z.infer<typeof PresetWithVersion>;

export const PresetCreate = z.strictObject({
  name: PresetName.describe(
    "Name of the preset, unique in the organisation: 1 to 64 lower-case letters, digits, `-` and `_`. It cannot be changed.",
  ),
  description: Description.nullish().describe("Description of the preset, at most 1,000 characters."),
  workspace_id: Uuid.nullish().describe(
    "ID of the workspace the preset belongs to: API keys of other workspaces cannot use it. Defaults to the workspace of the calling API key, if it has one.",
  ),
  system_prompt: SystemPrompt.nullish().describe(
    "Text that precedes the messages of requests as a system message, at most 65,536 characters.",
  ),
  config: PresetConfig.default({}).describe("Models, provider preferences and parameters."),
});
export type PresetCreate = z.infer<typeof PresetCreate>;

const BySlug = z.object({ slug: PresetName.describe("Name of the preset.") });
export const PresetBySlug = BySlug;
export const PresetVersionBySlug = BySlug.extend({
  version: VersionNumber.describe("Number of the version."),
});

/** Only what is sent changes; `null` clears. A changed prompt or configuration makes a new version. */
export const PresetUpdate = z.strictObject(
  {
    ...BySlug.shape,
    description: Description.nullish().describe(
      "New description, at most 1,000 characters; null removes it. It belongs to no version.",
    ),
    system_prompt: SystemPrompt.nullish().describe("New system prompt; null removes it."),
    config: PresetConfig.optional().describe(
      "New configuration, which replaces the existing one as a whole.",
    ),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" && issue.keys.some((key) => key === "name" || key === "workspace_id")
        ? "cannot be changed, because requests use it; create another preset"
        : undefined,
  },
);
export type PresetUpdate = z.infer<typeof PresetUpdate>;

export const PresetListQuery = Paging.extend({
  search: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(255, "may have 255 characters at most")
    .describe("Text to find in the name or the description.")
    .optional(),
  workspace_id: Uuid.describe(
    "ID of a workspace. Returns only presets that its API keys can use.",
  ).optional(),
});
export type PresetListQuery = z.infer<typeof PresetListQuery>;

export const PresetVersionsQuery = Paging.extend(BySlug.shape);
export type PresetVersionsQuery = z.infer<typeof PresetVersionsQuery>;
