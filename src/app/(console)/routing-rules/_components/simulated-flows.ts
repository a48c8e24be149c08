import { type FlowGraph, graphOf } from "#app/_ui/flows/flow-graph.ts";
import { countryName } from "#contract/places.ts";
import type { SimulationResult } from "#contract/simulation.ts";

type Flow = SimulationResult["flows"][number];

/** Where requests run under the current rules, and with the draft, from left to right. */
export const simulatedColumns = [
  "Country before",
  "Provider before",
  "Provider after",
  "Country after",
] as const;

/** `DE+FR` → `Germany + France`. */
export const placesOf = (codes: string): string => codes.split("+").map(countryName).join(" + ");

const refused = { key: "", label: "Refused", query: null };
const stopsOf = (stop: Flow["before"]) =>
  stop
    ? {
        place: { key: stop.place, label: placesOf(stop.place), query: null },
        provider: { key: stop.provider, label: stop.provider, query: null },
      }
    : { place: refused, provider: refused };

function outcomeOf({ before, after }: Flow): "unchanged" | "moved" | "refused" {
  if (!after) return "refused";
  return before?.provider === after.provider && before.place === after.place ? "unchanged" : "moved";
}

/** The diagram of a simulation. Every request is once in each column. */
export const simulatedGraph = (flows: readonly Flow[]): FlowGraph =>
  graphOf(
    flows.map((flow) => {
      const [before, after] = [stopsOf(flow.before), stopsOf(flow.after)];
      return {
        stops: [before.place, before.provider, after.provider, after.place],
        counts: { [outcomeOf(flow)]: flow.count },
      };
    }),
    simulatedColumns.length,
  );
