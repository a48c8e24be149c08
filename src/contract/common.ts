import { z } from "zod";

export const Uuid = z.uuid("must be a UUID");
/** What is said of a field that is not there, and of a value that does not fit. */
export const wanted = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    `${input === undefined ? "is required:" : "must be"} ${what}`,
});

export const Timestamp = z.iso.datetime();

/** Booleans in a query string: `true`, `false`, `1`, `0` and nothing else. */
export const QueryBoolean = z
  .enum(["true", "false", "1", "0"], { error: "must be true or false" })
  .transform((text) => text === "true" || text === "1");

const digits = (text: string) => Number(text);

/** Optional paging of a list (interface.md 11.2): without `limit` everything, up to 1,000. */
export const Paging = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, "must be a number from 1 to 100")
    .transform(digits)
    .pipe(z.number().min(1, "must be a number from 1 to 100").max(100, "must be a number from 1 to 100"))
    .optional(),
  offset: z
    .string()
    .regex(/^\d{1,7}$/, "must be a number of 0 or more")
    .transform(digits)
    .optional(),
});
export type Paging = z.infer<typeof Paging>;

/** Every single record and mutation answer comes in `data`. */
export const data = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** Every list answer: the page and how many there are in all. */
export const dataList = <T extends z.ZodType>(schema: T) =>
  z.object({ data: z.array(schema), total_count: z.number().int() });

export const Deleted = data(z.object({ success: z.literal(true) }));
