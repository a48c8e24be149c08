import type { Caller } from "#server/access/caller.ts";
import { costOf, noUsage } from "#server/billing/index.ts";
import type { SimulationDeps } from "#server/policy/index.ts";
import type { Services } from "./services.ts";

/** The policy engine and its catalogue at this moment, for one answer. */
export const engineNow = ({ router, catalogue }: Services["inference"], { orgId }: Caller) => ({
  router: router(orgId),
  catalogue: catalogue(orgId),
});

/** The same with the prices of today, to evaluate recorded requests. */
export const simulationDeps = ({ database, inference }: Services, caller: Caller): SimulationDeps => ({
  database,
  ...engineNow(inference, caller),
  costEur: (usage, price, rate) => costOf({ ...noUsage, ...usage }, price, rate).picoEur,
});
