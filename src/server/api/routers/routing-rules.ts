import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  DraftDryRunRequest,
  DryRunRequest,
  DryRunResult,
  EuResidency,
  RoutingRule,
  RoutingRuleCreate,
  RoutingRuleListQuery,
  RoutingRuleUpdate,
} from "#contract/routing-rule.ts";
import { SimulationRequest, SimulationResult } from "#contract/simulation.ts";
import { costOf, noUsage, type Usage } from "#server/billing/index.ts";
import {
  createRule,
  dryRun,
  dryRunDraft,
  euResidency,
  getRule,
  listRules,
  removeRule,
  simulate,
  updateRule,
} from "#server/policy/index.ts";
import type { Services } from "../services.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Routing rules";
const Named = z.object({ id: Uuid.describe("ID of the rule.") });

/** The engine and its catalogue as they stand now, for one answer. */
const engineNow = ({ router: engine, catalogue }: Services["inference"]) => ({
  router: engine(),
  catalogue: catalogue(),
});

const example = {
  name: "EU only, nothing kept",
  scope: "org",
  provider: { data_residency: "eu", eu_owned: true, max_retention_days: 0, data_collection: "deny" },
};

export const routingRulesRouter = router({
  list: permitted("routing:read", "workspace")
    .meta(
      rest("GET", "/routing-rules", {
        summary: "List routing rules",
        description: "The rules you can see, newest first. Disabled ones are left out unless asked for.",
        tag,
      }),
    )
    .input(RoutingRuleListQuery)
    .output(dataList(RoutingRule))
    .query(({ ctx, input }) => listRules(ctx.services.database, ctx.caller, input)),

  create: permitted("routing:write", "workspace")
    .meta(
      rest("POST", "/routing-rules", {
        summary: "Create a routing rule",
        description:
          "An enabled rule binds every matching request in its scope from the next second on, unless `auto_apply` " +
          "is false: then only requests that name it. Rules can only narrow the choice of providers. Without `scope` " +
          "the rule is for the key or the organisation it names, else for you; `scope: org` needs no `org_id`. Models " +
          "are named as the catalogue does; case makes no difference, and one it does not know is refused.",
        tag,
        status: 201,
        errors: [404, 409],
        example,
        idempotent: true,
        audit: { action: "routing_rule.create", configuration: true },
      }),
    )
    .input(RoutingRuleCreate)
    .output(data(RoutingRule))
    .mutation(async ({ ctx, input }) => ({
      data: await createRule(ctx.services.database, ctx.services.inference.catalogue(), ctx.caller, input),
    })),

  dryRun: permitted("routing:read", "workspace")
    .meta(
      rest("POST", "/routing-rules/dry-run", {
        summary: "See where requests would go, and why not elsewhere",
        description:
          "Asks the engine that routes live requests, as the caller of this request; with a `rule_id` that binds a " +
          "workspace or another key, as requests of those. No provider is contacted and nothing is charged. Every endpoint that drops out is listed with each reason, whose preference it was and the " +
          "smallest change that would admit it.",
        tag,
        errors: [404],
        example: { model: "sandbox/chat", preference_overrides: { data_residency: "eu" } },
        audit: { none: "changes nothing" },
      }),
    )
    .input(DryRunRequest)
    .output(data(DryRunResult))
    .mutation(async ({ ctx, input }) => ({
      data: await dryRun(ctx.services.database, engineNow(ctx.services.inference), ctx.caller, input),
    })),

  /** The console's dry run beside a form: of a rule that is not stored yet. */
  dryRunDraft: permitted("routing:read", "workspace")
    .meta({ audit: { none: "changes nothing" } })
    .input(DraftDryRunRequest)
    .output(data(DryRunResult))
    .mutation(async ({ ctx, input }) => ({
      data: await dryRunDraft(ctx.services.database, engineNow(ctx.services.inference), ctx.caller, input),
    })),

  simulate: permitted("routing:read", "workspace")
    .meta(
      rest("POST", "/routing-rules/simulate", {
        summary: "See what a rule would have changed in the last days",
        description:
          "Routes the recorded generations of your organisation again, with the rules of today and with the draft. " +
          "Only their metadata is read: no provider is contacted, nothing is charged, the draft is not kept.",
        tag,
        errors: [404],
        example: { rule: example, days: 30 },
        audit: { none: "changes nothing" },
      }),
    )
    .input(SimulationRequest)
    .output(data(SimulationResult))
    .mutation(async ({ ctx, input }) => {
      const { database, inference } = ctx.services;
      const deps = {
        database,
        ...engineNow(inference),
        costEur: (
          usage: Partial<Usage>,
          ...at: [Parameters<typeof costOf>[1], Parameters<typeof costOf>[2]]
        ) => costOf({ ...noUsage, ...usage }, ...at).picoEur,
      };
      return { data: await simulate(deps, ctx.caller, input) };
    }),

  euResidency: permitted("routing:read", "none")
    .meta(
      rest("GET", "/routing-rules/eu-residency", {
        summary: "Country groups behind eu, eea and eu_adequate",
        description: "The countries that these values of `data_residency` stand for in this installation.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(data(EuResidency))
    .query(({ ctx }) => ({ data: euResidency(new Set(ctx.services.config.EU_ADEQUACY_EXCLUDE)) })),

  get: permitted("routing:read", "workspace")
    .meta(
      rest("GET", "/routing-rules/{id}", {
        summary: "Get a routing rule",
        description: "A rule that you can see, whether it is enabled or not.",
        tag,
        errors: [404],
      }),
    )
    .input(Named)
    .output(data(RoutingRule))
    .query(async ({ ctx, input }) => ({ data: await getRule(ctx.services.database, ctx.caller, input.id) })),

  update: permitted("routing:write", "workspace")
    .meta(
      rest("PATCH", "/routing-rules/{id}", {
        summary: "Change a routing rule",
        description: "Only what is sent changes; `null` clears. `provider` is replaced as a whole.",
        tag,
        errors: [404, 409],
        example: { enabled: false },
        audit: { action: "routing_rule.update", configuration: true },
      }),
    )
    .input(RoutingRuleUpdate)
    .output(data(RoutingRule))
    .mutation(async ({ ctx, input }) => ({
      data: await updateRule(ctx.services.database, ctx.services.inference.catalogue(), ctx.caller, input),
    })),

  remove: permitted("routing:delete", "workspace")
    .meta(
      rest("DELETE", "/routing-rules/{id}", {
        summary: "Delete a routing rule",
        description: "It stops applying to requests within two seconds. Deleting cannot be undone.",
        tag,
        errors: [404],
        audit: { action: "routing_rule.delete", configuration: true },
      }),
    )
    .input(Named)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await removeRule(ctx.services.database, ctx.caller, input.id);
      return deleted;
    }),
});
