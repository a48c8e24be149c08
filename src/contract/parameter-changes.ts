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
