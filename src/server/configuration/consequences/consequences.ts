import type { ConfigurationPlan, Consequence } from "#contract/configuration.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { SimulationDeps } from "#server/policy/index.ts";
import type { PlannedFile } from "../plan-file.ts";
import { budgetConsequences } from "./budgets.ts";
import { credentialConsequences, entryConsequences, tagConsequences } from "./catalogue.ts";
import type { Evaluate } from "./consequence.ts";
import { destinationConsequences } from "./destinations.ts";
import { keyConsequences } from "./keys.ts";
import { presetConsequences } from "./presets.ts";
import { routingConsequences } from "./routing.ts";
import { Traffic } from "./traffic.ts";
import { workspaceConsequences } from "./workspaces.ts";

/** By kind: what one change means for recorded requests. Changes of routing are simulated. */
const evaluations: Readonly<Record<string, Evaluate>> = {
  workspaces: workspaceConsequences,
  keys: keyConsequences,
  providers: entryConsequences,
  models: entryConsequences,
  endpoints: entryConsequences,
  credentials: credentialConsequences,
  destinations: destinationConsequences,
  budgets: budgetConsequences,
  presets: presetConsequences,
  tags: tagConsequences,
};

/** What the recorded traffic of the last 30 days would have done differently under a plan. */
export async function consequencesOf(
  deps: SimulationDeps,
  planned: PlannedFile,
): Promise<Pick<ConfigurationPlan, "consequences" | "traffic">> {
  const { session } = planned;
  const { orgId } = session.as("activity:read");
  const sinceMs = clock.nowMs() - limits.configuration.trafficDays * dayMs;
  const traffic = new Traffic(session.database, orgId, sinceMs);
  const found: Consequence[] = [];
  for (const change of planned.changes)
    found.push(...((await evaluations[change.kind]?.({ session, traffic }, change)) ?? []));
  const routing = await routingConsequences(deps, planned, traffic);
  const { requests } = await traffic.sums();
  return {
    consequences: [...found, ...routing.consequences],
    traffic: { since: isoTime(sinceMs), requests, truncated: routing.truncated },
  };
}
