import { z } from "zod";
import { Activity, ActivityQuery, reportQueryOf } from "#contract/activity-report.ts";
import { UsageReport, UsageReportQuery, UsageSeriesQuery, UsageSeriesRow } from "#contract/usage-report.ts";
import { activityItems, usageReport, usageSeries } from "#server/activity/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { permitted, rest, router } from "../trpc.ts";

export const activityRouter = router({
  read: permitted("activity:read", "workspace")
    .meta({
      ...rest("GET", "/activity", {
        summary: "Get usage and costs",
        description:
          "Requests, tokens and costs of the organisation, grouped by any of day, model, provider, api_key_id and " +
          "workspace_id, and with `tag` by tag_value. Costs are exact decimals in EUR and USD. At most 5,000 rows at a time: `next` is the " +
          "`after` of the page that follows. Without `from` and `to`, the answer has the form that OpenRouter's clients read.",
        tag: "Activity",
        example: { from: "2026-11-01", to: "2026-11-30", group_by: "day,model" },
        errors: [404],
      }),
      operationId: "activity-report",
    })
    .input(ActivityQuery)
    .output(Activity)
    .query(async ({ ctx: { services, caller }, input }) => {
      const report = reportQueryOf(input);
      if (report) return services.reports((database) => usageReport(database, caller, report));
      const { providers } = catalogueFor(services, caller);
      const nameOf = (slug: string) => providers.get(slug)?.name ?? slug;
      const data = await services.reports((database) => activityItems(database, caller, input, nameOf));
      return { data, next: null };
    }),

  /** The console's own form of the report. */
  report: permitted("activity:read", "workspace")
    .input(UsageReportQuery)
    .output(UsageReport)
    .query(({ ctx, input }) => ctx.services.reports((database) => usageReport(database, ctx.caller, input))),

  series: permitted("activity:read", "workspace")
    .input(UsageSeriesQuery)
    .output(z.object({ data: z.array(UsageSeriesRow) }))
    .query(async ({ ctx, input }) => ({
      data: await ctx.services.reports((database) => usageSeries(database, ctx.caller, input)),
    })),
});
