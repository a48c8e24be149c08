import { exclusionLabel } from "#contract/exclusion-words.ts";
import type { RequestFlows } from "#contract/request-flows.ts";
import { countOf, countryText, logQuery } from "./flow-nodes.ts";

/** A country that requests went to, or that only excluded providers are in. */
export interface FlowPlace {
  /** ISO 3166-1 alpha-2, or a wider promise such as `EU`; null if it is unknown. */
  readonly country: string | null;
  readonly name: string;
  readonly requests: number;
  readonly failed: number;
  /** Of all requests of the period: 0 to 1. */
  readonly share: number;
  /** What the log is filtered by for its requests; null without any. */
  readonly query: string | null;
  /** Why its providers were excluded, in words; empty for countries that received requests. */
  readonly excludedBy: readonly string[];
}

/** Countries with their requests, most first; then those that only excluded providers are in. */
export function flowPlaces({ flows, excluded }: RequestFlows): readonly FlowPlace[] {
  const total = flows.reduce((sum, flow) => sum + countOf(flow), 0);
  const served = [...Map.groupBy(flows, ({ country }) => country)].map(([country, own]) => {
    const requests = own.reduce((sum, flow) => sum + countOf(flow), 0);
    const failed = own.reduce((sum, flow) => sum + flow.failed, 0);
    const share = total === 0 ? 0 : requests / total;
    return {
      country,
      name: countryText(country),
      requests,
      failed,
      share,
      query: logQuery("country", country),
      excludedBy: [],
    };
  });
  const known = new Set(served.map(({ country }) => country));
  const others = [...Map.groupBy(excluded, ({ country }) => country)].flatMap(([country, own]) => {
    if (country === null || known.has(country)) return [];
    const excludedBy = [...new Set(own.map(({ reason }) => exclusionLabel(reason)))];
    return [
      { country, name: countryText(country), requests: 0, failed: 0, share: 0, query: null, excludedBy },
    ];
  });
  const byName = (a: FlowPlace, b: FlowPlace) => (a.name < b.name ? -1 : 1);
  return [...served.toSorted((a, b) => b.requests - a.requests || byName(a, b)), ...others.toSorted(byName)];
}
