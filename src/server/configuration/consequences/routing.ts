import type { Consequence } from "#contract/configuration.ts";
import type { SimulationResult } from "#contract/simulation.ts";
import { limits } from "#server/platform/limits.ts";
import { routingState, type SimulationDeps, simulateStates } from "#server/policy/index.ts";
import type { PlannedFile } from "../plan-file.ts";
import { counted } from "./consequence.ts";
import type { Traffic } from "./traffic.ts";
import { type Unit, unitsOf } from "./units.ts";

/** The places whose numbers differ, as `DE: 1 -> 4`. */
function placesOf({ residency: { before, after: later } }: SimulationResult): string {
  const places = [...new Set([...Object.keys(before), ...Object.keys(later)])].sort();
  return places
    .filter((place) => before[place] !== later[place])
    .map((place) => `${place}: ${before[place] ?? 0} -> ${later[place] ?? 0}`)
    .join(", ");
}

function effectsOf(
  { code, subject: { kind, name } }: Pick<Unit, "code" | "subject">,
  result: SimulationResult,
  changed: number,
): Consequence[] {
  const { considered, refused, moved_count, moved, cost_eur_before, cost_eur_after, cost_eur_change } =
    result;
  const add = (what: string, requests: number, message: string) =>
    requests > 0 ? [{ code: `${code}_${what}`, kind, name, requests, message }] : [];
  const moves = moved.slice(0, 5).map(({ from, to, count }) => `${from} -> ${to} (${count})`);
  const places = placesOf(result);
  const costDiffers = Number(cost_eur_change) !== 0;
  return [
    ...add("refuses", refused, `${refused} of ${counted(considered)} would have been refused`),
    ...add(
      "moves",
      moved_count,
      `${counted(moved_count)} would have run at another endpoint: ${moves.join(", ")}`,
    ),
    ...add(
      "places",
      places === "" ? 0 : moved_count || changed,
      `Requests would have run elsewhere: ${places}`,
    ),
    ...add(
      "cost",
      costDiffers ? moved_count || changed : 0,
      `The cost would have been EUR ${cost_eur_after}, not EUR ${cost_eur_before}`,
    ),
  ];
}

export interface RoutingConsequences {
  readonly consequences: Consequence[];
  readonly truncated: boolean;
}

/**
 * What a changed catalogue, changed rules, and keys that move to another workspace would have made of recorded
 * requests: each change alone, and all of them together.
 */
export async function routingConsequences(
  deps: SimulationDeps,
  planned: PlannedFile,
  traffic: Traffic,
): Promise<RoutingConsequences> {
  const { session } = planned;
  const today = await routingState(session.database, session.caller);
  const units = unitsOf(planned, today);
  if (units.length === 0) return { consequences: [], truncated: false };
  const results = await simulateStates(deps, session.as("routing:read"), {
    sinceMs: traffic.sinceMs,
    generationsMax: Math.floor(limits.configuration.routedMax / units.length),
    today,
    states: new Map(units.map(({ state }, at) => [String(at), state])),
  });
  const consequences: Consequence[] = [];
  for (const [at, unit] of units.entries()) {
    const result = results.get(String(at));
    const { endpoints } = unit;
    const changed = endpoints.length > 0 ? (await traffic.sums({ endpoints })).requests : 0;
    if (result) consequences.push(...effectsOf(unit, result, changed));
  }
  return { consequences, truncated: [...results.values()].some(({ truncated }) => truncated) };
}
