import { z } from "zod";
import { AlertKindDescription } from "#contract/alert-kind.ts";
import { AlertRule, AlertRuleCreate, AlertRuleListQuery, AlertRuleUpdate } from "#contract/alert-rule.ts";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  createRule,
  deleteRule,
  describeAlertKinds,
  getRule,
  listRules,
  updateRule,
} from "#server/alerts/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Alerts";
const ById = z.object({ id: Uuid.describe("ID of the rule.") });

export const alertRulesRouter = router({
  kinds: permitted("alerts:read", "none")
    .meta(
      rest("GET", "/alert-kinds", {
        summary: "List kinds of alerts",
        description: "What rules can watch, with the JSON schema of each kind's `settings`.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(dataList(AlertKindDescription))
    .query(() => {
      const kinds = describeAlertKinds();
      return { data: kinds, total_count: kinds.length };
    }),

  list: permitted("alerts:read", "organisation")
    .meta(
      rest("GET", "/alert-rules", {
        summary: "List alert rules",
        description: "The newest first. Rules for the installation are returned to its operator only.",
        tag,
      }),
    )
    .input(AlertRuleListQuery)
    .output(dataList(AlertRule))
    .query(({ ctx, input }) => listRules(ctx.services.alerts.deps, ctx.caller, input)),

  create: permitted("alerts:write", "organisation")
    .meta(
      rest("POST", "/alert-rules", {
        summary: "Create an alert rule",
        description:
          "Rules are evaluated every minute. An incident opens once per subject, such as a budget or an endpoint, and " +
          "is resolved once; the channels are notified of both.",
        tag,
        status: 201,
        errors: [404, 409],
        example: { name: "Budgets", kind: "budget", settings: { thresholds: [80, 100] } },
        idempotent: true,
        audit: { action: "alert_rule.create", configuration: false },
      }),
    )
    .input(AlertRuleCreate)
    .output(data(AlertRule))
    .mutation(async ({ ctx, input }) => ({
      data: await createRule(ctx.services.alerts.deps, ctx.caller, input),
    })),

  get: permitted("alerts:read", "organisation")
    .meta(
      rest("GET", "/alert-rules/{id}", {
        summary: "Get an alert rule",
        description: "With the number of its open incidents.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(AlertRule))
    .query(async ({ ctx, input }) => ({
      data: await getRule(ctx.services.alerts.deps, ctx.caller, input.id),
    })),

  update: permitted("alerts:write", "organisation")
    .meta(
      rest("PATCH", "/alert-rules/{id}", {
        summary: "Change an alert rule",
        description: "Changes only the fields that are sent. `muted_until` mutes the rule until a time.",
        tag,
        errors: [404, 409],
        example: { settings: { thresholds: [95] }, muted_until: "2030-01-31T08:00:00Z" },
        audit: { action: "alert_rule.update", configuration: false },
      }),
    )
    .input(AlertRuleUpdate)
    .output(data(AlertRule))
    .mutation(async ({ ctx, input }) => ({
      data: await updateRule(ctx.services.alerts.deps, ctx.caller, input),
    })),

  remove: permitted("alerts:write", "organisation")
    .meta(
      rest("DELETE", "/alert-rules/{id}", {
        summary: "Delete an alert rule",
        description:
          "Open incidents are resolved. The channels that were notified get a message that the alert ended. Incidents stay in the history.",
        tag,
        errors: [404],
        audit: { action: "alert_rule.delete", configuration: false },
      }),
    )
    .input(ById)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteRule(ctx.services.alerts.deps, ctx.caller, input.id);
      return deleted;
    }),
});
