import { z } from "zod";
import { AskedDay, inOrder } from "./common.ts";
import { list } from "./list.ts";

/** A day as answers tell it. */
const Day = z.iso.date();

export const usageGroups = ["day", "model", "provider", "api_key_id", "workspace_id"] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** No database keeps a NUL. */
const Name = z.string().regex(/^[^\0]*$/);

/** What each group is in a cursor; what stands for nothing there is empty or all zeros. */
const placed = {
  day: AskedDay,
  model: Name,
  provider: Name,
  api_key_id: z.uuid(),
  workspace_id: z.uuid(),
} satisfies Record<UsageGroup, z.ZodType<string>>;

const rowsMax = 5_000;
const limit = `must be a number from 1 to ${rowsMax}`;
const place = "must be the `next` of the page before, with the same group_by";

/** What is summed: by which of the groups, in which days (UTC, both included), so many rows at a time. */
export const UsageReportQuery = z
  .object({
    from: AskedDay,
    to: AskedDay,
    /** Comma-separated, such as `day,model`. */
    group_by: z
      .string()
      .max(200)
      .default("day,model,provider")
      .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))])
      .pipe(
        list(z.enum(usageGroups, { error: `must be of ${usageGroups.join(", ")}` }))
          .min(1)
          .max(usageGroups.length),
      ),
    limit: z.coerce.number({ error: limit }).int(limit).min(1, limit).max(rowsMax, limit).default(rowsMax),
    /** `next` of the page before. */
    after: z
      .string()
      .max(2_048)
      .transform((text, { addIssue }): unknown => {
        try {
          return JSON.parse(text);
        } catch {
          addIssue(place);
          return z.NEVER;
        }
      })
      .pipe(list(z.string().max(512), { error: place }).max(usageGroups.length, place))
      .optional(),
  })
  .refine(
    ({ group_by, after }) =>
      after === undefined ||
      (after.length === group_by.length &&
        group_by.every((group, at) => placed[group].safeParse(after[at]).success)),
    { path: ["after"], message: place },
  )
  .superRefine(inOrder);
export type UsageReportQuery = z.output<typeof UsageReportQuery>;

const Count = z.number().int();
/** An exact decimal as text, never a float. */
const Money = z.string();

/** The sums of one group; what is not grouped by is left out. */
export const UsageReportRow = z
  .object({
    day: Day.optional(),
    model: z.string().optional(),
    /** Null when nobody served the requests. */
    provider: z.string().nullable().optional(),
    api_key_id: z.string().optional(),
    workspace_id: z.string().nullable().optional(),
    requests: Count,
    errors: Count,
    prompt_tokens: Count,
    completion_tokens: Count,
    cached_tokens: Count,
    reasoning_tokens: Count,
    search_units: Count,
    cost_eur: Money,
    cost_usd: Money,
    /** What the providers charge, own credentials included. */
    upstream_usd: Money,
  })
  .meta({ id: "UsageReportRow" });
export type UsageReportRow = z.infer<typeof UsageReportRow>;

/** Groups in their order; `next` asks for those after them, null when there are none. */
export const UsageReport = z.object({ data: z.array(UsageReportRow), next: z.string().nullable() });
export type UsageReport = z.infer<typeof UsageReport>;

/** The reports a screen draws: one group beside the days, its greatest by cost apart and the rest together. */
export const UsageSeriesQuery = z
  .object({ from: AskedDay, to: AskedDay, group: z.enum(usageGroups).exclude(["day"]) })
  .superRefine(inOrder);
export type UsageSeriesQuery = z.infer<typeof UsageSeriesQuery>;

export const UsageSeriesRow = z.object({
  day: Day,
  /** Null for what stands for nothing: no provider, no workspace. */
  name: z.string().nullable(),
  /** All that is not among the greatest, together. */
  rest: z.boolean(),
  requests: Count,
  tokens: Count,
  cost_eur: Money,
  cost_usd: Money,
});
export type UsageSeriesRow = z.infer<typeof UsageSeriesRow>;
