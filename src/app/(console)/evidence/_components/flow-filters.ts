import { isoOf, isoOfLocal } from "#app/_lib/use-now.ts";
import type { DataFlowFilter, TransferArea } from "#contract/data-flows.ts";

export const flowFilterNames = [
  ...(["range", "from", "to", "provider", "endpoint", "area", "country", "facts"] as const),
  ...(["key", "person", "user", "destination", "workspace", "rule"] as const),
] as const;
export type FlowFilterName = (typeof flowFilterNames)[number];
type FilterValues = Readonly<Record<FlowFilterName, string | null>>;

const dayMs = 86_400_000;

/** The periods to choose from, back from now. */
const periods = {
  "24h": { label: "Last 24 hours", ms: dayMs },
  "7d": { label: "Last 7 days", ms: 7 * dayMs },
  "30d": { label: "Last 30 days", ms: 30 * dayMs },
  "90d": { label: "Last 90 days", ms: 90 * dayMs },
} as const;
export const customRange = "custom";
export const defaultPeriod = periods["7d"].label;

export const periodChoices = [
  ...Object.entries(periods)
    .filter(([value]) => value !== "7d")
    .map(([value, { label }]) => ({ value, label })),
  { value: customRange, label: "Custom period" },
];

/** Where inference ran, by Chapter V of the GDPR. */
export const areaLabels: Record<TransferArea, string> = {
  eu: "EU",
  eea: "EEA",
  adequate: "Adequacy decision",
  third_country: "Third country",
  unknown: "Unknown place",
};
export const areaChoices = Object.entries(areaLabels).map(([value, label]) => ({ value, label }));

const isPeriod = (text: string): text is keyof typeof periods => Object.hasOwn(periods, text);
const isArea = (text: string): text is TransferArea => Object.hasOwn(areaLabels, text);

/** The period of the address bar; null if a custom one is incomplete, or ends before it begins. */
function periodOf({ range, from, to }: FilterValues, nowMs: number): { from: string; to: string } | null {
  if (range === customRange) {
    const [first, last] = [isoOfLocal(from), isoOfLocal(to)];
    return first && last && first <= last ? { from: first, to: last } : null;
  }
  const { ms } = periods[range && isPeriod(range) ? range : "7d"];
  return { from: isoOf(nowMs - ms), to: isoOf(nowMs) };
}

/** The filters of the address bar as the server takes them; null without a period. */
export function dataFlowFilter(values: FilterValues, nowMs: number): DataFlowFilter | null {
  const period = periodOf(values, nowMs);
  const { provider, endpoint, area, country, facts, key, person, user, destination } = values;
  const { workspace, rule } = values;
  return (
    period && {
      ...period,
      ...(provider && { provider }),
      ...(endpoint && { endpoint }),
      ...(area && isArea(area) && { area }),
      // A code that is not complete yet filters nothing.
      ...(country && /^[a-z]{2}$/i.test(country) && { country: country.toUpperCase() }),
      ...(facts && /^[0-9a-f]{64}$/.test(facts) && { facts_hash: facts }),
      ...(key && { api_key_id: key }),
      ...(person && { user_id: person }),
      ...(user && { end_user: user }),
      ...(destination && { destination_id: destination }),
      ...(workspace && { workspace_id: workspace }),
      ...(rule && { rule_id: rule }),
    }
  );
}

/** After which time everything that a package contains is recorded. */
const completeAfterMs = 11 * 60_000;
const minuteMs = 60_000;

/** The filter of a package: its period ends early enough that nothing is added to it any more, at a full minute. */
export function packageFilter(filter: DataFlowFilter, nowMs: number): DataFlowFilter {
  const latestMs = Math.floor((nowMs - completeAfterMs) / minuteMs) * minuteMs;
  return { ...filter, to: isoOf(Math.min(Date.parse(filter.to), latestMs)) };
}
