import { AlertIncident, AlertIncidentListQuery, AlertIncidentUpdate } from "#contract/alert-incident.ts";
import { data, dataList } from "#contract/common.ts";
import { listIncidents, updateIncident } from "#server/alerts/index.ts";
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

  update: permitted("alerts:write", "organisation")
    .meta(
      rest("PATCH", "/alert-incidents/{id}", {
        summary: "Mute an incident",
        description:
          "`muted_until` mutes the subject of the incident until a time: the rule sends nothing new about it, also " +
          "if it opens again. Other subjects of the rule are not affected.",
        tag: "Alerts",
        errors: [404, 409],
        example: { muted_until: "2030-01-31T08:00:00Z" },
        audit: { action: "alert_incident.update", configuration: false },
      }),
    )
    .input(AlertIncidentUpdate)
    .output(data(AlertIncident))
    .mutation(async ({ ctx, input }) => ({
      data: await updateIncident(ctx.services.alerts.deps, ctx.caller, input),
    })),
});
