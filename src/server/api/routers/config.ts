import { data } from "#contract/common.ts";
import {
  AppliedConfiguration,
  ConfigurationApplyRequest,
  ConfigurationExportQuery,
  ConfigurationPlan,
  ConfigurationPlanRequest,
  ExportedConfiguration,
} from "#contract/configuration.ts";
import type { Caller } from "#server/access/caller.ts";
import { applyConfiguration, exportConfiguration, planConfiguration } from "#server/configuration/index.ts";
import { outboundOf } from "../catalogue-for.ts";
import { simulationDeps } from "../engine-now.ts";
import type { Services } from "../services.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Configuration";
const file = `version: 1
workspaces:
  - name: Customer service
    limit: 250
    limit_reset: monthly
rules:
  - name: EU only
    provider: { data_residency: eu }
`;

const depsOf = (services: Services, caller: Caller) => ({
  ...simulationDeps(services, caller),
  destinations: services.destinations.deps,
  alerts: services.alerts.deps,
  catalogues: services.catalogues,
  outboundFor: outboundOf(services),
  sealer: services.sealer,
  keyPrefix: services.config.KEY_PREFIX,
});

export const configRouter = router({
  exportFile: permitted("workspaces:read", "organisation")
    .meta(
      rest("GET", "/config/export", {
        summary: "Export the configuration",
        description:
          "Workspaces, API keys, own providers with their models, endpoints, prices and credentials, routing rules, " +
          "destinations, budgets, presets, alerts and tags as a YAML file. Secrets are references. The " +
          "key that makes the request is left out. For owners and admins.",
        tag,
        errors: [404],
      }),
    )
    .input(ConfigurationExportQuery)
    .output(ExportedConfiguration)
    .query(async ({ ctx, input }) => ({
      data: { file: await exportConfiguration(depsOf(ctx.services, ctx.caller), ctx.caller, input) },
    })),

  planFile: permitted("workspaces:read", "organisation")
    .meta(
      rest("POST", "/config/plan", {
        summary: "Plan a configuration",
        description:
          "What a file would change, and what the recorded traffic of the last 30 days would have done differently. " +
          "Changes nothing. The same is used to find drift: with `prune`, a plan without changes means that the " +
          "state is that of the file.",
        tag,
        example: { file, prune: false },
        opaque: ["secrets"],
        audit: { none: "compares a file with the state and changes nothing" },
      }),
    )
    .input(ConfigurationPlanRequest)
    .output(data(ConfigurationPlan))
    .mutation(async ({ ctx, input }) => ({
      data: await planConfiguration(depsOf(ctx.services, ctx.caller), ctx.caller, input),
    })),

  applyFile: permitted("workspaces:write", "organisation")
    .meta(
      rest("POST", "/config/apply", {
        summary: "Apply a configuration",
        description:
          "Makes all changes of a file, or none. Each change needs its permission, such as `keys:write`, and writes an " +
          "audit entry with the digest of the plan. A generated API key is in this answer only.",
        tag,
        errors: [404, 409],
        example: { file, digest: null },
        opaque: ["secrets"],
        idempotent: true,
        audit: { action: "configuration.apply", configuration: true },
      }),
    )
    .input(ConfigurationApplyRequest)
    .output(AppliedConfiguration)
    .mutation(async ({ ctx, input }) => ({
      data: await applyConfiguration(depsOf(ctx.services, ctx.caller), ctx.caller, input),
    })),
});
