import { consequence, counted, days, type Evaluate } from "./consequence.ts";

export const presetConsequences: Evaluate = async ({ traffic }, change) => {
  if (change.current === null) return [];
  const { requests } = await traffic.sums({ preset: change.key });
  if (change.action === "delete" || change.action === "replace") {
    const message = `${counted(requests)} ${days} used it. They would be refused, or get what replaces it`;
    return consequence(change, "preset_removed", requests, message);
  }
  if (!change.fields.some(({ field }) => field !== "description")) return [];
  const message = `${counted(requests)} ${days} used it. Those that name no version would have used the new one`;
  return consequence(change, "preset_changed", requests, message);
};
