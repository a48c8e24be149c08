import { z } from "zod";
import { AskedDay, inOrder } from "./common.ts";
import { list } from "./list.ts";
import { TagName } from "./tag.ts";

/** A day as answers tell it. */
const Day = z.iso.date();

export const usageGroups = ["day", "model", "provider", "api_key_id", "workspace_id", "tag_value"] as const;
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
  tag_value: Name,
} satisfies Record<UsageGroup, z.ZodType<string>>;

/** Which tag a report is about, and which of its values. */
export const tagFields = {
  tag: TagName.describe("Tag of the report: only requests with a value for it.").optional(),
  tag_value: Name.min(1, "must not be empty")
    .max(200, "may have 200 characters at most")
    .describe("Only requests with this value of `tag`.")
    .optional(),
};

interface TagQuery {
  readonly tag?: string | undefined;
  readonly tag_value?: string | undefined;
  readonly groups: readonly string[];
}

/** Refuses values of a tag without its name. */
function checkTag({ tag, tag_value, groups }: TagQuery, { addIssue }: z.RefinementCtx): void {
  if (tag === undefined && (tag_value !== undefined || groups.includes("tag_value")))
    addIssue({ code: "custom", path: ["tag"], message: "is required for tag_value" });
}

const rowsMax = 5_000;
const limit = `must be a number from 1 to ${rowsMax}`;
const place = "must be the `next` of the page before, with the same group_by";

/** Whether a cursor belongs to the groups of a query. */
const isPlaced = ({
  group_by,
  after,
}: {
  readonly group_by: readonly UsageGroup[];
  readonly after?: readonly string[] | undefined;
}): boolean =>
  after === undefined ||
  (after.length === group_by.length &&
    group_by.every((group, at) => placed[group].safeParse(after[at]).success));

/** What is summed: by which of the groups, in which days (UTC, both included), so many rows at a time. */
export const UsageReportQuery = z
  .object({
    from: AskedDay.describe("First day of the report (UTC), such as `2026-11-01`."),
    to: AskedDay.describe("Last day of the report (UTC), included."),
    group_by: z
      .string()
      .max(200)
      .default("day,model,provider")
      .transform((text) => [...new Set(text.split(",").map((part) => part.trim()))])
      .pipe(
        list(z.enum(usageGroups, { error: `must be of ${usageGroups.join(", ")}` }))
          .min(1)
          .max(usageGroups.length),
      )
      .describe(
        `What to group by: ${usageGroups.map((group) => `\`${group}\``).join(", ")}, comma-separated.`,
      ),
    limit: z.coerce
      .number({ error: limit })
      .int(limit)
      .min(1, limit)
      .max(rowsMax, limit)
      .default(rowsMax)
      .describe("Maximum number of rows to return, 1 to 5,000."),
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
      .describe("Cursor: `next` of the previous page, with the same `group_by`.")
      .optional(),
    ...tagFields,
  })
  .refine(isPlaced, { path: ["after"], message: place })
  .superRefine(inOrder)
  .superRefine(({ tag, tag_value, group_by }, context) =>
    checkTag({ tag, tag_value, groups: group_by }, context),
  );
export type UsageReportQuery = z.output<typeof UsageReportQuery>;

const Count = z.number().int();
/** An exact decimal as text, never a float. */
const Money = z.string();

/** The sums of one group; what is not grouped by is left out. */
export const UsageReportRow = z
  .object({
    day: Day.optional().describe("Day (UTC) the requests started on; present when grouping by `day`."),
    model: z
      .string()
      .optional()
      .describe(
        "Model that served the requests, or the requested one if none did; present when grouping by `model`.",
      ),
    provider: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Slug of the provider; null if none served the requests; present when grouping by `provider`.",
      ),
    api_key_id: z.string().optional().describe("ID of the API key; present when grouping by `api_key_id`."),
    workspace_id: z
      .string()
      .nullable()
      .optional()
      .describe("ID of the workspace, null for none; present when grouping by `workspace_id`."),
    tag_value: z
      .string()
      .optional()
      .describe(
        "Value of the tag, `(other)` for values beyond the maximum; present when grouping by `tag_value`.",
      ),
    requests: Count.describe("Number of requests, failed ones included."),
    errors: Count.describe("Number of requests that ended with an error."),
    prompt_tokens: Count.describe("Input tokens, cached ones included."),
    completion_tokens: Count.describe("Output tokens, reasoning included."),
    cached_tokens: Count.describe("Input tokens read from a provider's cache."),
    reasoning_tokens: Count.describe("Output tokens spent on reasoning."),
    search_units: Count.describe("Search units billed by rerank models."),
    cost_eur: Money.describe(
      "Cost charged, in euros as an exact decimal; requests with own provider credentials cost 0.",
    ),
    cost_usd: Money.describe(
      "Cost charged, in US dollars as an exact decimal; requests with own provider credentials cost 0.",
    ),
    upstream_usd: Money.describe(
      "What providers charge, in US dollars as an exact decimal, own credentials included.",
    ),
  })
  .meta({ id: "UsageReportRow" });
export type UsageReportRow = z.infer<typeof UsageReportRow>;

export const UsageReport = z.object({
  data: z.array(UsageReportRow).describe("Sums of each group, ordered by the groups."),
  next: z.string().nullable().describe("Cursor for `after` to get the next page; null on the last page."),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** The reports a screen draws: one group beside the days, its greatest by cost apart and the rest together. */
export const UsageSeriesQuery = z
  .object({ from: AskedDay, to: AskedDay, group: z.enum(usageGroups).exclude(["day"]), ...tagFields })
  .superRefine(inOrder)
  .superRefine(({ tag, tag_value, group }, context) =>
    checkTag({ tag, tag_value, groups: [group] }, context),
  );
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
