import { z } from "zod";
import { FirstSteps, Overview, OverviewQuery } from "#contract/overview.ts";
import { firstSteps, overviewOf } from "#server/activity/index.ts";
import { permitted, router } from "../trpc.ts";

export const overviewRouter = router({
  get: permitted("activity:read", "organisation")
    .input(OverviewQuery)
    .output(Overview)
    .query(({ ctx, input }) => ctx.services.reports((database) => overviewOf(database, ctx.caller, input))),

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
