import { formatRequests } from "#app/_lib/format.ts";
import { type FlowGraph, graphOf } from "#app/_ui/flows/flow-graph.ts";
import type { MapPlace } from "#app/_ui/flows/world-map.tsx";
import { countryName } from "#contract/places.ts";
import type { SimulationResult } from "#contract/simulation.ts";

type Flow = SimulationResult["flows"][number];

/** Where requests run under the current rules, and with the draft. */
export const simulatedColumns = ["Before", "After"] as const;

/** `DE+FR` → `Germany + France`. */
export const placesOf = (codes: string): string => codes.split("+").map(countryName).join(" + ");

const stopOf = (stop: Flow["before"]) =>
  stop
    ? {
        key: `${stop.provider} ${stop.place}`,
        label: `${stop.provider} · ${placesOf(stop.place)}`,
        query: null,
      }
    : { key: "", label: "Refused", query: null };

function outcomeOf({ before, after }: Flow): "unchanged" | "rerouted" | "refused" {
  if (!after) return "refused";
  return before?.provider === after.provider && before.place === after.place ? "unchanged" : "rerouted";
}

/** The diagram of a simulation. Every request is once in each column. */
export const simulatedGraph = (flows: readonly Flow[]): FlowGraph =>
  graphOf(
    flows.map((flow) => ({
      stops: [stopOf(flow.before), stopOf(flow.after)],
      counts: { [outcomeOf(flow)]: flow.count },
    })),
    simulatedColumns.length,
  );

/** Countries with the requests that may run there, from counts by codes joined with `+`. */
export function simulatedPlaces(counts: Readonly<Record<string, number>>): readonly MapPlace[] {
  const byCountry = new Map<string, number>();
  for (const [codes, count] of Object.entries(counts))
    for (const country of codes.split("+")) byCountry.set(country, (byCountry.get(country) ?? 0) + count);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [...byCountry].map(([country, count]) => ({
    country,
    isServed: true,
    share: count / total,
    text: `${countryName(country)}: ${formatRequests(count)}`,
    href: null,
  }));
}
