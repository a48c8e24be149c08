import { z } from "zod";
import { AskedDay, Uuid } from "./common.ts";
import { KeyHash } from "./key.ts";
import { tagFields, UsageReportQuery, UsageReportRow, usageGroups } from "./usage-report.ts";

const { from, to, limit } = UsageReportQuery.shape;

/** What OpenRouter's clients filter by; only without `from` and `to`. */
const clientFilters = {
  date: AskedDay.describe("Only this day (UTC). Only without `from` and `to`.").optional(),
  api_key_hash: KeyHash.describe("Only requests of this API key. Only without `from` and `to`.").optional(),
  user_id: Uuid.describe("Only requests of this user's API keys. Only without `from` and `to`.").optional(),
  workspace_id: Uuid.describe("Only requests of this workspace. Only without `from` and `to`.").optional(),
};

/** A report of our own, or, without a period, the rows that OpenRouter's clients read. */
export const ActivityQuery = z
  .object({
    from: from.optional(),
    to: to.optional(),
    group_by: z
      .string()
      .max(200)
      .describe(
        `What to group by: ${usageGroups.map((group) => `\`${group}\``).join(", ")}, comma-separated. Without \`from\` and \`to\` only \`workspace\`.`,
      )
      .optional(),
    limit,
    after: z
      .string()
      .max(2_048)
      .describe("Cursor: `next` of the previous page, with the same `group_by`.")
      .optional(),
    ...tagFields,
    ...clientFilters,
  })
  .superRefine((query, { addIssue }) => {
    if (query.from === undefined && query.to === undefined) {
      // Our report needs a period; what only it has shows that it is meant.
      const isReport =
        query.after !== undefined ||
        query.tag !== undefined ||
        query.tag_value !== undefined ||
        ![undefined, "workspace"].includes(query.group_by);
      if (isReport)
        addIssue({ code: "custom", path: ["from"], message: "is required: a day such as 2026-11-20" });
      return;
    }
    for (const name of Object.keys(clientFilters) as (keyof typeof clientFilters)[])
      if (query[name] !== undefined)
        addIssue({ code: "custom", path: [name], message: "cannot be combined with from and to" });
    const report = UsageReportQuery.safeParse(reportInput(query));
    for (const issue of report.error?.issues ?? [])
      addIssue({ code: "custom", path: [...issue.path], message: issue.message });
  });
export type ActivityQuery = z.output<typeof ActivityQuery>;

const reportInput = ({ from, to, group_by, limit, after, tag, tag_value }: ActivityQuery) => ({
  from,
  to,
  group_by,
  limit,
  after,
  tag,
  tag_value,
});

/** The report that a query asks for; null if it asks for the rows of OpenRouter's clients. */
export const reportQueryOf = (query: ActivityQuery): UsageReportQuery | null =>
  query.from === undefined ? null : UsageReportQuery.parse(reportInput(query));

const Count = z.number().int();

/** Requests of one day, model and provider, as OpenRouter's clients read them. */
export const ActivityItem = z
  .object({
    date: z.iso.date().describe("Day (UTC) the requests started on."),
    model: z.string().describe("Model that served the requests, or the requested one if none did."),
    model_permaslug: z.string().describe("Same as `model`."),
    endpoint_id: z.string().describe("Provider and model, such as `sandbox-fr:sandbox/chat`."),
    provider_name: z.string().describe("Display name of the provider; empty if none served the requests."),
    requests: Count.describe("Number of requests, failed ones included."),
    prompt_tokens: Count.describe("Input tokens, cached ones included."),
    completion_tokens: Count.describe("Output tokens, reasoning included."),
    reasoning_tokens: Count.describe("Output tokens spent on reasoning."),
    usage: z.number().describe("Cost charged, in US dollars."),
    byok_usage_inference: z
      .number()
      .describe("Cost of requests with own provider credentials, in US dollars, billed by the providers."),
    workspace_id: z
      .string()
      .optional()
      .describe("ID of the workspace, empty for none; present when grouping by `workspace`."),
  })
  .meta({ id: "ActivityItem" });
export type ActivityItem = z.infer<typeof ActivityItem>;

export const Activity = z.object({
  data: z
    .array(z.union([UsageReportRow, ActivityItem]))
    .describe(
      "Sums of each group, ordered by the groups. Without `from` and `to` the last 30 days and today, newest first, in " +
        "the form that OpenRouter's clients read; 5,000 rows at most.",
    ),
  next: z
    .string()
    .nullable()
    .describe("Cursor for `after` to get the next page; null on the last page and without `from` and `to`."),
});
