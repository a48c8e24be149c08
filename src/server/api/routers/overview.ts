import { Overview } from "#contract/overview.ts";
import { balanceEur, dayOf, firstSteps, latestGenerations } from "#server/activity/index.ts";
import { clock } from "#server/platform/clock.ts";
import { permitted, router } from "../trpc.ts";

const latestCount = 10;

export const overviewRouter = router({
  get: permitted("activity:read")
    .output(Overview)
    .query(async ({ ctx: { services, caller } }) => {
      const { database, config } = services;
      const [day, latest, balance, checklist] = await Promise.all([
        dayOf(database, caller.orgId, clock.nowMs()),
        latestGenerations(database, caller.orgId, latestCount),
        balanceEur(database, caller.orgId),
        firstSteps(database, caller.orgId),
      ]);
      return {
        ...day,
        hours: [...day.hours],
        latest,
        credit: { balance_eur: balance },
        checklist,
        example_model: config.SANDBOX ? "sandbox/chat" : null,
      };
    }),
});
