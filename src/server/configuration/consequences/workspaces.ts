import { consequence, counted, days, type Evaluate, eur } from "./consequence.ts";
import { spendingConsequence } from "./keys.ts";

export const workspaceConsequences: Evaluate = async (evaluation, change) => {
  const id = change.current?.id;
  if (id === undefined) return [];
  if (change.action !== "delete")
    return spendingConsequence(evaluation, change, { workspaceId: id }, "workspace_limit");
  const { requests, costPicoEur } = await evaluation.traffic.sums({ workspaceId: id });
  const message = `${counted(requests)} for ${eur(costPicoEur)} ${days} were of the workspace`;
  return consequence(change, "workspace_removed", requests, message);
};
