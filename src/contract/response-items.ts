import { z } from "zod";
import { JsonObject, LongDescription, LongText } from "./bounded.ts";
import { list } from "./list.ts";

const Id = z.string().min(1).max(512);
const Name = z.string().min(1).max(256);

/** A part of a message. Kinds that are not in the table are passed on to upstreams that know them. */
const partTable: Record<string, z.ZodType> = {
  input_text: z.looseObject({ text: LongText }),
  output_text: z.looseObject({ text: LongText }),
  refusal: z.looseObject({ refusal: LongText }),
  input_image: z
    .looseObject({
      image_url: LongText.nullish(),
      file_id: Id.nullish(),
      detail: z.string().max(32).nullish(),
    })
    .refine(({ image_url: url, file_id: file }) => url || file, "needs image_url or file_id"),
  input_file: z
    .looseObject({
      file_data: LongText.nullish(),
      file_url: LongText.nullish(),
      file_id: Id.nullish(),
      filename: z.string().max(1024).nullish(),
    })
    .refine(
      ({ file_data: data, file_url: url, file_id: file }) => data || url || file,
      "needs file_data, file_url or file_id",
    ),
};

type Table = Readonly<Record<string, z.ZodType>>;

/** The tables by which schemas check what their own fields do not say, for who has to see all of a request. */
export const tablesByType = new Map<z.core.$ZodType, Table>();

/** An object that is checked by the schema its `type` names too; a type without a row is accepted as it is. */
export function byType<T extends z.ZodType<{ type?: string | undefined }>>(
  schema: T,
  table: Table,
  fallback = "",
): T {
  const checked = schema.superRefine((value, ctx) => {
    const type = value.type ?? fallback;
    const result = Object.hasOwn(table, type) ? table[type]?.safeParse(value) : undefined;
    // As it is, only its type is that of a finished one: of a union it holds what each alternative says.
    for (const issue of result?.error?.issues ?? []) ctx.addIssue(issue as z.core.$ZodRawIssue);
  });
  tablesByType.set(checked, table);
  return checked;
}

export const ResponsePart = byType(
  z.looseObject({
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(
        "Type of the part, such as `input_text` or `input_image`, which determines its further fields.",
      ),
  }),
  partTable,
);
export type ResponsePart = z.infer<typeof ResponsePart>;

const Content = z.union([LongText, list(ResponsePart).max(2_048)]);
const Output = z.union([LongText, list(ResponsePart).max(2_048)]);

const itemTable: Record<string, z.ZodType> = {
  message: z.looseObject({ role: z.enum(["user", "assistant", "system", "developer"]), content: Content }),
  function_call: z.looseObject({ call_id: Id, name: Name, arguments: LongText }),
  function_call_output: z.looseObject({ call_id: Id, output: Output }),
  custom_tool_call: z.looseObject({ call_id: Id, name: Name, input: LongText }),
  custom_tool_call_output: z.looseObject({ call_id: Id, output: Output }),
  reasoning: z.looseObject({
    summary: list(z.looseObject({ type: z.string().max(64) }))
      .max(1_000)
      .nullish(),
  }),
  item_reference: z.looseObject({ id: Id }),
};

/**
 * One item of a conversation. Without `type` it is a message. Types that are not in the table
 * are the provider's own and reach only upstreams that speak this operation themselves.
 */
export const ResponseItem = byType(
  z.looseObject({
    type: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Type of the item, such as `message`, `function_call_output` or `item_reference`; `message` by default. It determines the further fields.",
      ),
    id: Id.nullish().describe("ID of the item; for an `item_reference`, the ID of the stored item to use."),
  }),
  itemTable,
  "message",
);
export type ResponseItem = z.infer<typeof ResponseItem>;

const toolTable: Record<string, z.ZodType> = {
  function: z.looseObject({
    name: Name,
    description: LongDescription.nullish(),
    parameters: JsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
  custom: z.looseObject({
    name: Name,
    description: LongDescription.nullish(),
    format: z.looseObject({ type: z.string().max(64) }).nullish(),
  }),
};

/** A tool: a function, a custom tool, or one of the provider's own. */
export const ResponseTool = byType(
  z.looseObject({
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(
        "Type of tool: `function`, `custom`, or one of the provider's own. It determines the further fields.",
      ),
  }),
  toolTable,
);
export type ResponseTool = z.infer<typeof ResponseTool>;
