import { type FlowGraph, graphOf } from "#app/_ui/flows/flow-graph.ts";
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
