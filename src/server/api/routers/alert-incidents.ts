import { AlertIncident, AlertIncidentListQuery } from "#contract/alert-incident.ts";
import { dataList } from "#contract/common.ts";
import { listIncidents } from "#server/alerts/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const alertIncidentsRouter = router({
  list: permitted("alerts:read", "organisation")
    .meta(
      rest("GET", "/alert-incidents", {
        summary: "List incidents",
        description:
          "What alert rules have found, the newest first, with the notifications that were sent. Resolved incidents " +
          "are kept for 90 days.",
        tag: "Alerts",
      }),
    )
    .input(AlertIncidentListQuery)
    .output(dataList(AlertIncident))
    .query(({ ctx, input }) => listIncidents(ctx.services.alerts.deps, ctx.caller, input)),
});
