import { exclusionLabel } from "#contract/exclusion-words.ts";
import { countryName } from "#contract/places.ts";
import type { RequestFlows } from "#contract/request-flows.ts";

type Flow = RequestFlows["flows"][number];

export const outcomes = ["completed", "failed", "stopped"] as const;
export type Outcome = (typeof outcomes)[number];

/** Keys, rules, countries and providers, from left to right. */
export const flowColumns = ["Keys", "Rules", "Countries", "Providers"] as const;

export interface FlowNode {
  readonly id: string;
  /** Index in `flowColumns`. */
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

/** How many nodes of a column are shown by themselves; the others are one node. */
const shownMax = 7;
const excludedMax = 4;

const unseen = "a rule that you may not see";

export const rulesText = (rules: Flow["rules"]): string => {
  if (rules === null) return "Rules not recorded";
  return rules.length === 0 ? "No rule" : rules.map(({ name }) => name ?? unseen).join(" + ");
};
/** Who excluded a provider. */
export const setByText = ({ rule, scope }: RequestFlows["excluded"][number]): string =>
  rule ? (rule.name ?? unseen) : `the ${scope}`;
export const keyText = ({ id, name }: Flow["key"]): string => name ?? `…${id.slice(-8)}`;
export const countryText = (country: string | null): string =>
  country === null ? "Country unknown" : countryName(country);
export const providerText = (provider: string | null): string => provider ?? "No provider";
export const countOf = (flow: Flow): number => outcomes.reduce((sum, outcome) => sum + flow[outcome], 0);

const filter = (name: string, value: string | null) =>
  value === null ? null : `${name}=${encodeURIComponent(value)}`;

interface Stop {
  readonly key: string;
  readonly label: string;
  readonly query: string | null;
}

const stopsOf = ({ key, rules, country, provider }: Flow): readonly Stop[] => [
  { key: key.id, label: keyText(key), query: filter("key", key.id) },
  { key: JSON.stringify(rules?.map(({ id }) => id) ?? null), label: rulesText(rules), query: null },
  { key: country ?? "", label: countryText(country), query: filter("country", country) },
  { key: provider ?? "", label: providerText(provider), query: filter("provider", provider) },
];

const idOf = (column: number, key: string): string => `${column} ${key}`;
const othersOf = (column: number): string => `${column} (others)`;

/** The nodes of a column, the largest first, and which one a key belongs to. */
function columnOf(flows: readonly Flow[], column: number) {
  const found = new Map<string, { stop: Stop; value: number }>();
  for (const flow of flows) {
    const stop = stopsOf(flow)[column];
    if (stop) found.set(stop.key, { stop, value: countOf(flow) + (found.get(stop.key)?.value ?? 0) });
  }
  const sorted = [...found.values()].sort((a, b) => b.value - a.value);
  const shown = sorted.length <= shownMax + 1 ? sorted : sorted.slice(0, shownMax);
  const rest = sorted.slice(shown.length);
  const nodes: FlowNode[] = shown.map(({ stop: { key, label, query }, value }) => ({
    ...{ id: idOf(column, key), column, label, query, value, isExcluded: false },
  }));
  if (rest.length > 0)
    nodes.push({
      ...{ id: othersOf(column), column, label: `${rest.length} others`, query: null, isExcluded: false },
      value: rest.reduce((sum, { value }) => sum + value, 0),
    });
  const ids = new Set(nodes.map(({ id }) => id));
  return {
    nodes,
    nodeOf: (key: string) => (ids.has(idOf(column, key)) ? idOf(column, key) : othersOf(column)),
  };
}

/** Providers that served nothing, because a rule or a request excluded them. */
function excludedParts({ flows, excluded }: RequestFlows, nodes: readonly FlowNode[]) {
  const served = new Set(flows.map(({ provider }) => provider));
  const byProvider = Map.groupBy(
    excluded.filter(({ provider }) => !served.has(provider)),
    ({ provider }) => provider,
  );
  const added = new Map<string, FlowNode>();
  const links: FlowLink[] = [];
  for (const [provider, [first]] of [...byProvider].slice(0, excludedMax)) {
    if (!first) continue;
    const { country, reason, rule, requests } = first;
    const title = `${provider}: excluded for ${requests} requests, ${exclusionLabel(reason)}, set by ${setByText(first)}`;
    const ruleNode = nodes.find(({ column, id }) => column === 1 && rule && id.includes(rule.id));
    const countryId = idOf(2, country ?? "");
    const providerId = idOf(3, provider);
    const grey = (id: string, column: number, label: string): FlowNode => ({
      ...{ id, column, label, value: 0, isExcluded: true, query: null },
    });
    if (!nodes.some(({ id }) => id === countryId))
      added.set(countryId, grey(countryId, 2, countryText(country)));
    added.set(providerId, grey(providerId, 3, `${provider}: ${exclusionLabel(reason)}`));
    const from = ruleNode ?? nodes.find(({ column }) => column === 1);
    const link = { outcome: "excluded", value: 0, title } as const;
    if (from) links.push({ ...link, from: from.id, to: countryId });
    links.push({ ...link, from: countryId, to: providerId });
  }
  return { nodes: [...added.values()], links };
}

/** The nodes and links of the diagram. Every request is once in each column. */
export function flowGraph(report: RequestFlows): { nodes: readonly FlowNode[]; links: readonly FlowLink[] } {
  const columns = flowColumns.map((_, column) => columnOf(report.flows, column));
  const nodes = columns.flatMap((column) => column.nodes);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const links = new Map<string, FlowLink>();
  for (const flow of report.flows) {
    const ids = stopsOf(flow).map(({ key }, column) => columns[column]?.nodeOf(key) ?? "");
    for (const [at, to] of ids.slice(1).entries()) {
      const from = ids[at] ?? "";
      for (const outcome of outcomes) {
        if (flow[outcome] === 0) continue;
        const id = JSON.stringify([from, to, outcome]);
        const value = flow[outcome] + (links.get(id)?.value ?? 0);
        const title = `${labels.get(from)} → ${labels.get(to)}: ${value} ${outcome}`;
        links.set(id, { from, to, outcome, value, title });
      }
    }
  }
  const excluded = excludedParts(report, nodes);
  return { nodes: [...nodes, ...excluded.nodes], links: [...links.values(), ...excluded.links] };
}
