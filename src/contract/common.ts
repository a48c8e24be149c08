import { z } from "zod";

export const Uuid = z.uuid("must be a UUID");
/** Messages for a missing field, and for an invalid value. */
export const wanted = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    `${input === undefined ? "is required:" : "must be"} ${what}`,
});

/** Longer than any time that is written to the nanosecond, with its offset. */
export const timeCharsMax = 40;
export const Timestamp = z.iso.datetime().max(timeCharsMax);

/** Before them nothing was written down, and beyond them a year has no four digits any more. */
const askable = { first: "1970-01-01", last: "9999-12-31" } as const;
const askableMs = { first: 0, last: Date.parse(`${askable.last}T23:59:59.999Z`) };

/** A day somebody asks for. */
export const AskedDay = z.iso
  .date(wanted("a day such as 2026-11-20"))
  .refine(
    (day) => day >= askable.first && day <= askable.last,
    `must be a day from ${askable.first} to ${askable.last}`,
  );

const mustBeTime = "must be a time such as 2027-01-31T00:00:00Z";

/** A time somebody asks for, in any zone. */
export const AskedTime = z.iso
  .datetime({ offset: true, error: mustBeTime })
  .max(timeCharsMax, mustBeTime)
  .refine(
    (time) => {
      const ms = Date.parse(time);
      return ms >= askableMs.first && ms <= askableMs.last;
    },
    `must be a time of the years ${askable.first.slice(0, 4)} to ${askable.last.slice(0, 4)}`,
  );

/** Refuses a span that ends before it begins. */
export function inOrder(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  { addIssue }: z.RefinementCtx,
): void {
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to))
    addIssue({ code: "custom", path: ["to"], message: "must not lie before from" });
}

/** A value that a query contains as text: the OpenAPI document describes the value. */
export const standsFor = (schema: {
  type: "integer" | "boolean";
  minimum?: number;
  maximum?: number;
  default?: number;
}) => ({
  override: { ...schema, pattern: undefined, enum: undefined },
});

/** Booleans in a query string: `true`, `false`, `1`, `0` and nothing else. */
export const QueryBoolean = z
  .enum(["true", "false", "1", "0"], { error: "must be true or false" })
  .transform((text) => text === "true" || text === "1")
  .meta(standsFor({ type: "boolean" }));

const digits = (text: string) => Number(text);

/** A whole number from `min` to `max`, as text of a path or a query. */
export function integerText({ min, max }: { readonly min: number; readonly max: number }) {
  const wrong = `must be a number from ${min} to ${max}`;
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${String(max).length}}$`), wrong)
    .transform(digits)
    .pipe(z.number().min(min, wrong).max(max, wrong))
    .meta(standsFor({ type: "integer", minimum: min, maximum: max }));
}

/** The number of entries on a page, as text of a query: 1 to `max`. */
export const pageLimit = (max: number) => integerText({ min: 1, max });

/** The same, with what a query without it stands for. */
export const pageLimitOr = (byDefault: number, max: number) =>
  pageLimit(max)
    .default(byDefault)
    .meta(standsFor({ type: "integer", minimum: 1, maximum: max, default: byDefault }));

/** Optional paging of a list: without `limit` everything, up to 1,000. */
export const Paging = z.object({
  limit: pageLimit(100)
    .describe("Maximum number of items to return, 1 to 100. Up to 1,000 are returned if omitted.")
    .optional(),
  offset: z
    .string()
    .regex(/^\d{1,7}$/, "must be a number of 0 or more")
    .transform(digits)
    .meta(standsFor({ type: "integer", minimum: 0 }))
    .describe("Number of items to skip before the first one returned, 0 if omitted.")
    .optional(),
});
export type Paging = z.infer<typeof Paging>;

/** Every single record and mutation answer comes in `data`. */
export const data = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** Every list answer: the page and how many there are in all. */
export const dataList = <T extends z.ZodType>(schema: T) =>
  z.object({
    data: z.array(schema).describe("The items on this page."),
    total_count: z.number().int().describe("Number of matching items, including those on other pages."),
  });

export const Deleted = data(
  z.object({ success: z.literal(true).describe("Always true.") }).describe("Confirms the deletion."),
);

/** The same for what OpenRouter's clients delete too. */
export const DeletedForClients = Deleted.extend({
  deleted: z.literal(true).default(true).describe("Always true; OpenRouter's clients require the field."),
});

const orFormat = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** `a, b or c`. */
export const orList = (names: readonly string[]): string => orFormat.format(names);
