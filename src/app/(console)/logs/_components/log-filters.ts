import { isoOf, isoOfLocal } from "#app/_lib/use-now.ts";
import { activityRanges, generationStatuses } from "#contract/activity.ts";
import type { GenerationFilter } from "#contract/generation.ts";
import { parsePresetReference } from "#contract/preset-name.ts";

export const filterNames = [
  "find",
  "range",
  "from",
  "to",
  "status",
  "model",
  "provider",
  "key",
  "preset",
  "error",
  "country",
  "app",
  "user",
] as const;
export type FilterName = (typeof filterNames)[number];
type FilterValues = Readonly<Record<FilterName, string | null>>;

export const defaultRange = "24h";
export const customRange = "custom";

export const statusChoices = [
  ...generationStatuses.map((value) => ({ value, label: value })),
  { value: "cancelled,interrupted", label: "stopped early" },
];

export const rangeChoices = [
  ...Object.entries(activityRanges)
    .filter(([value]) => value !== defaultRange)
    .map(([value, { label }]) => ({ value, label: `Last ${label}` })),
  { value: customRange, label: "Custom range" },
];

const isRange = (text: string): text is keyof typeof activityRanges => Object.hasOwn(activityRanges, text);

function timesOf({ range, from, to }: FilterValues, nowMs: number): { from?: string; to?: string } {
  if (range === customRange) {
    const [first, last] = [isoOfLocal(from), isoOfLocal(to)];
    return { ...(first && { from: first }), ...(last && { to: last }) };
  }
  const chosen = range && isRange(range) ? range : defaultRange;
  return { from: isoOf(nowMs - activityRanges[chosen].ms) };
}

/** The filters of the address bar as the server takes them. A search for an id has no time range. */
export function generationFilter(values: FilterValues, nowMs: number): GenerationFilter {
  const { find, status, model, provider, key, preset, error, country, app, user } = values;
  const statuses = generationStatuses.filter((one) => status?.split(",").includes(one));
  return {
    ...(find ? { find } : timesOf(values, nowMs)),
    ...(statuses.length > 0 && { status: statuses }),
    ...(model && { model }),
    ...(provider && { provider }),
    ...(key && { api_key_id: key }),
    // A name that is not complete yet filters nothing.
    ...(preset && parsePresetReference(preset) && { preset }),
    ...(error && { error_code: error }),
    ...(country && { region: country }),
    ...(app && { app_title: app }),
    ...(user && { user_reference: user }),
  };
}
