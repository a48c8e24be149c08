import { z } from "zod";

const Id = z.string().min(1).max(512);
const Name = z.string().min(1).max(256);

/** A part of a message. Kinds that are not in the table are passed on to upstreams that know them. */
const partTable: Record<string, z.ZodType> = {
  input_text: z.looseObject({ text: z.string() }),
  output_text: z.looseObject({ text: z.string() }),
  refusal: z.looseObject({ refusal: z.string() }),
  input_image: z
    .looseObject({
      image_url: z.string().nullish(),
      file_id: Id.nullish(),
      detail: z.string().max(32).nullish(),
    })
    .refine(({ image_url: url, file_id: file }) => url || file, "needs image_url or file_id"),
  input_file: z
    .looseObject({
      file_data: z.string().nullish(),
      file_url: z.string().nullish(),
      file_id: Id.nullish(),
      filename: z.string().max(1024).nullish(),
    })
    .refine(
      ({ file_data: data, file_url: url, file_id: file }) => data || url || file,
      "needs file_data, file_url or file_id",
    ),
};

/** Checks an object by the schema its `type` names; a type without a row is accepted as it is. */
const byType =
  (table: Record<string, z.ZodType>, fallback?: string) =>
  (value: { type?: string | undefined }, ctx: z.RefinementCtx): void => {
    const schema = table[value.type ?? fallback ?? ""];
    const result = schema?.safeParse(value);
    // As it is, only its type is that of a finished one: of a union it holds what each alternative says.
    for (const issue of result?.error?.issues ?? []) ctx.addIssue(issue as z.core.$ZodRawIssue);
  };

export const ResponsePart = z.looseObject({ type: z.string().min(1).max(64) }).superRefine(byType(partTable));
export type ResponsePart = z.infer<typeof ResponsePart>;

const Content = z.union([z.string(), z.array(ResponsePart).max(10_000)]);
const Output = z.union([z.string(), z.array(ResponsePart).max(10_000)]);

const itemTable: Record<string, z.ZodType> = {
  message: z.looseObject({ role: z.enum(["user", "assistant", "system", "developer"]), content: Content }),
  function_call: z.looseObject({ call_id: Id, name: Name, arguments: z.string() }),
  function_call_output: z.looseObject({ call_id: Id, output: Output }),
  custom_tool_call: z.looseObject({ call_id: Id, name: Name, input: z.string() }),
  custom_tool_call_output: z.looseObject({ call_id: Id, output: Output }),
  reasoning: z.looseObject({ summary: z.array(z.looseObject({ type: z.string() })).nullish() }),
  item_reference: z.looseObject({ id: Id }),
};

/**
 * One item of a conversation (interface.md 8.2). Without `type` it is a message. Types that are not in the table
 * are the provider's own and reach only upstreams that speak this operation themselves.
 */
export const ResponseItem = z
  .looseObject({ type: z.string().min(1).max(64).optional(), id: Id.nullish() })
  .superRefine(byType(itemTable, "message"));
export type ResponseItem = z.infer<typeof ResponseItem>;

const toolTable: Record<string, z.ZodType> = {
  function: z.looseObject({
    name: Name,
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.json()).nullish(),
    strict: z.boolean().nullish(),
  }),
  custom: z.looseObject({
    name: Name,
    description: z.string().nullish(),
    format: z.looseObject({ type: z.string() }).nullish(),
  }),
};

/** A tool: a function, a custom tool, or one of the provider's own. */
export const ResponseTool = z.looseObject({ type: z.string().min(1).max(64) }).superRefine(byType(toolTable));
export type ResponseTool = z.infer<typeof ResponseTool>;
