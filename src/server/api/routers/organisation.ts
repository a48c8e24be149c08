import { z } from "zod";
import { Organisation, OrganisationName, RetentionRow } from "#contract/organisation.ts";
import { organisationOf, renameOrganisation } from "#server/accounts/index.ts";
import { dayMs } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { authenticated, permitted, router } from "../trpc.ts";

/** Only the console uses it; REST clients get their organisation from `/me`. */
export const organisationRouter = router({
  get: authenticated("organisation")
    .output(Organisation)
    .query(({ ctx }) => organisationOf(ctx.services.database, ctx.caller)),

  rename: permitted("members:write", "organisation")
    .meta({ audit: { action: "organisation.rename", configuration: false } })
    .input(z.strictObject({ name: OrganisationName }))
    .output(z.object({ name: z.string() }))
    .mutation(async ({ ctx, input }) => {
      await renameOrganisation(ctx.services.database, ctx.caller, input.name);
      return input;
    }),

  retention: authenticated("none")
    .output(z.array(RetentionRow))
    .query(({ ctx }): RetentionRow[] => {
      const { destinations, idempotency, refusals } = limits;
      const fixed = (what: RetentionRow["what"], days: number | null) => ({ what, days, setting: null });
      return [
        {
          what: "generations",
          days: ctx.services.config.REQUEST_RETENTION_DAYS ?? null,
          setting: "REQUEST_RETENTION_DAYS",
        },
        fixed("refusals", refusals.retentionMs / dayMs),
        fixed("ledger", null),
        fixed("audit_log", null),
        {
          what: "responses",
          days: ctx.services.config.RESPONSES_RETENTION_DAYS,
          setting: "RESPONSES_RETENTION_DAYS",
        },
        fixed("deliveries_done", destinations.deliveredRetentionMs / dayMs),
        fixed("deliveries_failed", destinations.failedRetentionMs / dayMs),
        fixed("idempotency", idempotency.retentionMs / dayMs),
      ];
    }),
});
