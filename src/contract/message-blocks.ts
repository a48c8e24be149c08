import { z } from "zod";
import { JsonObject, LongDescription, LongText } from "./bounded.ts";
import { list } from "./list.ts";
import { byType } from "./response-items.ts";

const Id = z.string().min(1).max(512);
const Title = z.string().max(4_096);

const sourceTable: Record<string, z.ZodType> = {
  base64: z.looseObject({ media_type: z.string().max(128), data: LongText }),
  text: z.looseObject({ data: LongText }),
  url: z.looseObject({ url: LongText }),
  content: z.looseObject({ content: z.union([LongText, list(z.looseObject({})).max(2_048)]) }),
  file: z.looseObject({ file_id: Id }),
};

const Source = byType(
  z.looseObject({
    type: z
      .string()
      .max(64)
      .describe("Where the data is: `base64`, `url`, `text`, `content` or `file`; it is in further fields."),
  }),
  sourceTable,
);

const TextBlock = z.looseObject({ text: LongText });

/** Content of a tool's result: text, images and documents, not results again. */
const resultTable: Record<string, z.ZodType> = {
  text: TextBlock,
  image: z.looseObject({ source: Source }),
  document: z.looseObject({ source: Source, title: Title.nullish(), context: LongText.nullish() }),
  search_result: z.looseObject({
    source: LongText,
    title: LongText,
    content: list(TextBlock).max(2_048),
  }),
};

const blockType = z.string().min(1).max(64);

const ResultBlock = byType(z.looseObject({ type: blockType }), resultTable);

const blockTable: Record<string, z.ZodType> = {
  ...resultTable,
  tool_use: z.looseObject({ id: Id, name: z.string().min(1).max(256), input: JsonObject }),
  tool_result: z.looseObject({
    tool_use_id: Id,
    content: z.union([LongText, list(ResultBlock).max(2_048)]).nullish(),
    is_error: z.boolean().nullish(),
  }),
  thinking: z.looseObject({ thinking: LongText, signature: LongText.nullish() }),
  redacted_thinking: z.looseObject({ data: LongText }),
};

/** A block of a message's content. Types that are not in the table are passed on to endpoints that know them. */
export const MessageBlock = byType(
  z.looseObject({
    type: blockType.describe(
      "Type of the block: `text`, `image`, `document`, `search_result`, `tool_use`, `tool_result`, `thinking` or `redacted_thinking`; its data is in further fields. Other types need an endpoint with Anthropic's API.",
    ),
  }),
  blockTable,
);
export type MessageBlock = z.infer<typeof MessageBlock>;

export const MessageParam = z.looseObject({
  role: z
    .enum(["user", "assistant", "system"])
    .describe("Author of the message: `user` or `assistant`; `system` for instructions in the middle."),
  content: z
    .union([LongText, list(MessageBlock).max(2_048)])
    .describe("Content of the message, as text or as a list of blocks."),
});
export type MessageParam = z.infer<typeof MessageParam>;

/** A tool of the client's own, or one that Anthropic defines, which has another `type`. */
export const MessageTool = z
  .looseObject({
    type: z
      .string()
      .max(64)
      .nullish()
      .describe("`custom` or left out for your own tools; other types are Anthropic's and need its API."),
    name: z.string().min(1).max(256).optional().describe("Name of the tool, 1 to 256 characters."),
    description: LongDescription.nullish().describe("What the tool does, for the model to read."),
    input_schema: JsonObject.optional().describe(
      "JSON schema of the tool's input. Required for your own tools.",
    ),
    strict: z.boolean().nullish().describe("Whether the input must match the schema exactly."),
  })
  .refine(({ type, name }) => !isOwnTool(type) || name !== undefined, {
    path: ["name"],
    error: "is required: string",
  })
  .refine(({ type, input_schema: schema }) => !isOwnTool(type) || schema !== undefined, {
    path: ["input_schema"],
    error: "is required: object, a JSON schema",
  });
export type MessageTool = z.infer<typeof MessageTool>;

/** Whether a tool is the client's own: only those work with every model. */
export const isOwnTool = (type: unknown): boolean => type == null || type === "custom";
