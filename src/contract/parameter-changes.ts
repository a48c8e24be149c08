import { z } from "zod";

/** What a request's fields became on their way to one endpoint: names, never values. */
export const ParameterChanges = z.object({
  dropped: z
    .array(z.string())
    .describe("Fields that were not sent, because the endpoint does not support them."),
  translated: z
    .array(
      z.object({
        from: z.string().describe("Name of the field in the request."),
        to: z.string().describe("Name under which the provider received it."),
      }),
    )
    .describe("Fields that were sent under the provider's own name."),
  clamped: z
    .array(z.string())
    .describe("Fields whose value was moved to the nearest one that the endpoint supports."),
});
export type ParameterChanges = z.infer<typeof ParameterChanges>;

/** The values with which a field is sent as it is. */
export const FieldLimit = z.object({
  name: z.string().describe("Name of the field."),
  min: z.number().nullable().describe("Smaller numbers are raised to this one; null if there is no minimum."),
  max: z.number().nullable().describe("Larger numbers are lowered to this one; null if there is no maximum."),
  values: z
    .array(z.string())
    .nullable()
    .describe("The only texts that the endpoint takes; null if it takes any."),
  without_reasoning: z
    .boolean()
    .describe("Whether the field is sent only if the request sets the reasoning effort to `none`."),
});
