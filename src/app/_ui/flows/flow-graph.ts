import { formatCount } from "#app/_lib/format.ts";

/** What became of requests, in the order in which bands of two nodes are drawn. */
const outcomes = ["completed", "failed", "stopped", "unchanged", "rerouted", "refused"] as const;
type Outcome = (typeof outcomes)[number];
export const drawnOutcomes = [...outcomes, "excluded"] as const;

export interface FlowNode {
  readonly id: string;
  /** Index of its column, from the left. */
  readonly column: number;
  readonly label: string;
  /** Requests through it; 0 if everything at it was excluded. */
  readonly value: number;
  readonly isExcluded: boolean;
  /** Filters of the log that show its requests, as a query; null if there are none. */
  readonly query: string | null;
}

export interface FlowLink {
  readonly from: string;
  readonly to: string;
  readonly outcome: Outcome | "excluded";
  readonly value: number;
  readonly title: string;
}

export interface FlowGraph {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
}

/** What requests pass in one column. */
interface Stop {
  readonly key: string;
  readonly label: string;
  readonly query: string | null;
}

export type FlowStops = readonly Stop[];

/** Requests that pass the same stop in each column. */
interface Flow {
  readonly stops: FlowStops;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
}

/** How many nodes of a column are shown by themselves; the others are one node. */
const shownMax = 7;

export const nodeIdOf = (column: number, key: string): string => `${column} ${key}`;
const othersOf = (column: number): string => `${column} (others)`;

const countOf = ({ counts }: Flow): number =>
  outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);

/** The nodes of a column, the largest first, and which one a key belongs to. */
function columnOf(flows: readonly Flow[], column: number) {
  const found = new Map<string, { stop: Stop; value: number }>();
  for (const flow of flows) {
    const stop = flow.stops[column];
    if (stop) found.set(stop.key, { stop, value: countOf(flow) + (found.get(stop.key)?.value ?? 0) });
  }
  const sorted = [...found.values()].sort((a, b) => b.value - a.value);
  const shown = sorted.length <= shownMax + 1 ? sorted : sorted.slice(0, shownMax);
  const rest = sorted.slice(shown.length);
  const nodes: FlowNode[] = shown.map(({ stop: { key, label, query }, value }) => ({
    ...{ id: nodeIdOf(column, key), column, label, query, value, isExcluded: false },
  }));
  if (rest.length > 0)
    nodes.push({
      ...{ id: othersOf(column), column, label: `${rest.length} others`, query: null, isExcluded: false },
      value: rest.reduce((sum, { value }) => sum + value, 0),
    });
  const ids = new Set(nodes.map(({ id }) => id));
  return {
    nodes,
    nodeOf: (key: string) => (ids.has(nodeIdOf(column, key)) ? nodeIdOf(column, key) : othersOf(column)),
  };
}

/** The nodes and links of a diagram with so many columns. Every request is once in each column. */
export function graphOf(flows: readonly Flow[], columnCount: number): FlowGraph {
  const columns = Array.from({ length: columnCount }, (_, column) => columnOf(flows, column));
  const nodes = columns.flatMap((column) => column.nodes);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const links = new Map<string, FlowLink>();
  for (const { stops, counts } of flows) {
    const ids = stops.map(({ key }, column) => columns[column]?.nodeOf(key) ?? "");
    for (const [at, to] of ids.slice(1).entries()) {
      const from = ids[at] ?? "";
      for (const outcome of outcomes) {
        const count = counts[outcome] ?? 0;
        if (count === 0) continue;
        const id = JSON.stringify([from, to, outcome]);
        const value = count + (links.get(id)?.value ?? 0);
        const title = `${labels.get(from)} → ${labels.get(to)}: ${formatCount(value)} ${outcome}`;
        links.set(id, { from, to, outcome, value, title });
      }
    }
  }
  return { nodes, links: [...links.values()] };
}
