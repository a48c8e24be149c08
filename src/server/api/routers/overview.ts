import { z } from "zod";
import { FirstSteps, Overview, OverviewQuery } from "#contract/overview.ts";
import { RequestFlows } from "#contract/request-flows.ts";
import { firstSteps, overviewOf, requestFlows } from "#server/activity/index.ts";
import { ruleNames } from "#server/policy/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { permitted, router } from "../trpc.ts";

export const overviewRouter = router({
  get: permitted("activity:read", "organisation")
    .input(OverviewQuery)
    .output(Overview)
    .query(({ ctx, input }) => ctx.services.reports((database) => overviewOf(database, ctx.caller, input))),

  flows: permitted("activity:read", "organisation")
    .input(OverviewQuery)
    .output(RequestFlows)
    .query(({ ctx: { services, caller }, input }) => {
      const { providers } = catalogueFor(services, caller);
      return services.reports((database) =>
        requestFlows(
          {
            database,
            ruleNames: (ids) => ruleNames(database, caller, ids),
            countryOf: (slug) => providers.get(slug)?.region ?? null,
          },
          caller,
          input,
        ),
      );
    }),

  firstSteps: permitted("activity:read", "organisation")
    .input(z.object({}))
    .output(FirstSteps)
    .query(async ({ ctx: { services, caller } }) => {
      const { SANDBOX, providerCredentials } = services.config;
      const steps = await firstSteps(services.database, caller);
      return {
        ...steps,
        provider: steps.provider || providerCredentials.size > 0,
        example_model: SANDBOX ? "sandbox/chat" : null,
      };
    }),
});
