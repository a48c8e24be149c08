import { formatRequests } from "#app/_lib/format.ts";
import {
  type FlowGraph,
  type FlowLink,
  type FlowNode,
  type FlowStops,
  graphOf,
  nodeIdOf,
} from "#app/_ui/flows/flow-graph.ts";
import { exclusionLabel } from "#contract/exclusion-words.ts";
import { countryName } from "#contract/places.ts";
import type { RequestFlows } from "#contract/request-flows.ts";

type Flow = RequestFlows["flows"][number];

const outcomes = ["completed", "failed", "stopped"] as const;

/** Keys, rules, countries and providers, from left to right. */
export const flowColumns = ["Keys", "Rules", "Countries", "Providers"] as const;

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

/** The filter of the log for a value, as it is in a URL; null for none. */
export const logQuery = (name: string, value: string | null) =>
  value === null ? null : `${name}=${encodeURIComponent(value)}`;

const stopsOf = ({ key, rules, country, provider }: Flow): FlowStops => [
  { key: key.id, label: keyText(key), query: logQuery("key", key.id) },
  { key: JSON.stringify(rules?.map(({ id }) => id) ?? null), label: rulesText(rules), query: null },
  { key: country ?? "", label: countryText(country), query: logQuery("country", country) },
  { key: provider ?? "", label: providerText(provider), query: logQuery("provider", provider) },
];

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
    const title = `${provider}: excluded for ${formatRequests(requests)}, ${exclusionLabel(reason)}, set by ${setByText(first)}`;
    const ruleNode = nodes.find(({ column, id }) => column === 1 && rule && id.includes(rule.id));
    const countryId = nodeIdOf(2, country ?? "");
    const providerId = nodeIdOf(3, provider);
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
export function flowGraph(report: RequestFlows): FlowGraph {
  const flows = report.flows.map((flow) => {
    const { completed, failed, stopped } = flow;
    return { stops: stopsOf(flow), counts: { completed, failed, stopped } };
  });
  const { nodes, links } = graphOf(flows, flowColumns.length);
  const excluded = excludedParts(report, nodes);
  return { nodes: [...nodes, ...excluded.nodes], links: [...links, ...excluded.links] };
}
