import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import { DryRunAnswer } from "#contract/dry-run-answer.ts";
import { EuResidency } from "#contract/eu-residency.ts";
import {
  DraftDryRunRequest,
  DryRunRequest,
  DryRunResult,
  RoutingRule,
  RoutingRuleCreate,
  RoutingRuleListQuery,
  RoutingRuleUpdate,
} from "#contract/routing-rule.ts";
import { SimulationRequest, SimulationResult } from "#contract/simulation.ts";
import { forecastBudgets } from "#server/budgets/index.ts";
import {
  createRule,
  dryRun,
  dryRunDraft,
  euResidency,
  getRule,
  listRules,
  removeRule,
  simulate,
  subjectOf,
  updateRule,
} from "#server/policy/index.ts";
import { forDryRun, presetUserOf } from "#server/presets/index.ts";
import { tagValuesOf } from "#server/tags/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { engineNow, simulationDeps } from "../engine-now.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Routing rules";
const Named = z.object({ id: Uuid.describe("ID of the rule.") });

const example = {
  name: "EU only, zero retention",
  scope: "org",
  provider: { data_residency: "eu", eu_owned: true, max_retention_days: 0, data_collection: "deny" },
};

export const routingRulesRouter = router({
  list: permitted("routing:read", "workspace")
    .meta(
      rest("GET", "/routing-rules", {
        summary: "List routing rules",
        description: "The rules you can see, newest first. Disabled ones only on request.",
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
          "An enabled rule applies to every matching request in its scope from the next second on, unless `auto_apply` " +
          "is false: then only to requests that name it. Rules can only restrict the choice of providers. Without `scope` " +
          "the rule belongs to the key or organisation it names, else to you; `scope: org` needs no `org_id`. Models " +
          "are named as in the catalogue, regardless of case; unknown ones are refused.",
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
      data: await createRule(
        ctx.services.database,
        catalogueFor(ctx.services, ctx.caller),
        ctx.caller,
        input,
      ),
    })),

  dryRun: permitted("routing:read", "workspace")
    .meta(
      rest("POST", "/routing-rules/dry-run", {
        summary: "Dry run: where requests would go, and why not elsewhere",
        description:
          "Asks the engine that routes live requests, as the caller of this request; with a `rule_id` that applies to a " +
          "workspace or another key, as requests of those. No provider is contacted and nothing is charged. Every excluded endpoint is listed with each reason, who set it and the " +
          "smallest change that would admit it. `budgets` says which budgets would count the caller's request, and which " +
          "would stop it.",
        tag,
        errors: [404],
        example: { model: "sandbox/chat", preference_overrides: { data_residency: "eu" } },
        audit: { none: "changes nothing" },
      }),
    )
    .input(DryRunRequest)
    .output(data(DryRunAnswer))
    .mutation(async ({ ctx, input: asked }) => {
      const { database, inference, presets } = ctx.services;
      const engine = engineNow(inference, ctx.caller);
      const input = forDryRun(presets(), presetUserOf(ctx.caller), asked);
      const result = await dryRun(database, engine, ctx.caller, input);
      const endpoints = result.results.flatMap(({ endpoints: ids }) => ids);
      const [budgets, endUser] = [inference.budgets(), input.user ?? null];
      const said = { endUser, app: null, metadata: input.metadata };
      const subject = {
        ...subjectOf(ctx.caller),
        endUser,
        tags: tagValuesOf(budgets.tagNames(ctx.caller.orgId), said),
        models: [...new Set(endpoints.flatMap((id) => engine.catalogue.endpoints.get(id)?.model.id ?? []))],
      };
      return { data: { ...result, budgets: await forecastBudgets(database, budgets, subject) } };
    }),

  /** The console's dry run beside a form: with a rule that is not stored. */
  dryRunDraft: permitted("routing:read", "workspace")
    .meta({ audit: { none: "changes nothing" } })
    .input(DraftDryRunRequest)
    .output(data(DryRunResult))
    .mutation(async ({ ctx, input }) => ({
      data: await dryRunDraft(
        ctx.services.database,
        engineNow(ctx.services.inference, ctx.caller),
        ctx.caller,
        input,
      ),
    })),

  simulate: permitted("routing:read", "workspace")
    .meta(
      rest("POST", "/routing-rules/simulate", {
        summary: "Simulate a rule on recent requests",
        description:
          "Routes the recorded generations of your organisation again, with today's rules and with the draft. " +
          "Only their metadata is read: no provider is contacted, nothing is charged, the draft is not stored.",
        tag,
        errors: [404],
        example: { rule: example, days: 30 },
        audit: { none: "changes nothing" },
      }),
    )
    .input(SimulationRequest)
    .output(data(SimulationResult))
    .mutation(async ({ ctx, input }) => ({
      data: await simulate(simulationDeps(ctx.services, ctx.caller), ctx.caller, input),
    })),

  euResidency: permitted("routing:read", "none")
    .meta(
      rest("GET", "/routing-rules/eu-residency", {
        summary: "List the country groups eu, eea and eu_adequate",
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
        description: "A rule that you can see, enabled or not.",
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
        description:
          "Changes only the fields that are sent; `null` clears. `provider` is replaced completely.",
        tag,
        errors: [404, 409],
        example: { enabled: false },
        audit: { action: "routing_rule.update", configuration: true },
      }),
    )
    .input(RoutingRuleUpdate)
    .output(data(RoutingRule))
    .mutation(async ({ ctx, input }) => ({
      data: await updateRule(
        ctx.services.database,
        catalogueFor(ctx.services, ctx.caller),
        ctx.caller,
        input,
      ),
    })),

  remove: permitted("routing:delete", "workspace")
    .meta(
      rest("DELETE", "/routing-rules/{id}", {
        summary: "Delete a routing rule",
        description: "It stops applying to requests within two seconds. This cannot be undone.",
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
