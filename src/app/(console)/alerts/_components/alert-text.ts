import { formatAbsolute, formatDuration, formatEur } from "#app/_lib/format.ts";
import { recordOf } from "#app/_lib/json.ts";
import { isoInDays } from "#app/_lib/use-now.ts";
import type { AlertRule } from "#contract/alert-rule.ts";
import { type AlertKind, type AlertScope, alertKindNames, alertKindTexts } from "#contract/alert-texts.ts";

export const kindOptions = alertKindNames.map((value) => ({ value, label: alertKindTexts[value].title }));

export const scopesOf = (kind: AlertKind): readonly AlertScope[] => alertKindTexts[kind].scopes;

/** The kind that a filter in the URL names. */
export const kindIn = (text: string | null): AlertKind | undefined =>
  alertKindNames.find((kind) => kind === text);

/** Words of settings, where the value is not one itself. */
export const choiceTexts: Readonly<Record<string, string>> = {
  any: "All limits",
  budgets: "Budgets",
  keys: "Limits of API keys",
  workspaces: "Limits of workspaces",
  organisation: "Credit and rate limit of the organisation",
  all: "All requests together",
  model: "Each model",
  provider: "Each provider",
  first_content: "Time to first content",
  duration: "Duration of the answer",
};

/** What a rule of a kind watches, in a few words. */
const summaries: Record<AlertKind, (settings: Readonly<Record<string, unknown>>) => string> = {
  budget: ({ thresholds }) => `at ${Array.isArray(thresholds) ? thresholds.join(", ") : "?"} %`,
  limit_refusals: ({ min_requests, window_minutes }) => `${min_requests} in ${window_minutes} min`,
  low_credit: ({ below_eur }) => `at ${formatEur(String(below_eur))} or less`,
  error_rate: ({ above_percent, window_minutes }) => `${above_percent} % in ${window_minutes} min`,
  p95_latency: ({ above_ms, window_minutes }) =>
    `${formatDuration(Number(above_ms))} in ${window_minutes} min`,
  endpoint_down: ({ above_percent, window_minutes }) => `${above_percent} % in ${window_minutes} min`,
  destination_failing: ({ after_minutes }) => `after ${after_minutes} min`,
  expired_fact: ({ days_before }) => `${days_before} days before`,
  deprecated_model: () => "",
  stale_exchange_rate: ({ after_days }) => `after ${after_days} days`,
};

/** `Budget threshold · at 80, 100 % · all organisations` */
export function ruleSummary({
  kind,
  settings,
  scope,
}: Pick<AlertRule, "kind" | "settings" | "scope">): string {
  const parts = [
    alertKindTexts[kind].title,
    summaries[kind](recordOf(settings)),
    scope === "installation" && "all organisations",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** How long something can be muted, in hours. */
export const muteChoices = [
  { value: "1", label: "For 1 hour" },
  { value: "8", label: "For 8 hours" },
  { value: "24", label: "For 1 day" },
  { value: "168", label: "For 7 days" },
] as const;

const hoursPerDay = 24;

/** The time that is so many hours from now. */
export const mutedFor = (hours: string): string => isoInDays(Number(hours) / hoursPerDay);

export const isMuted = ({ muted_until }: Pick<AlertRule, "muted_until">, nowMs: number): boolean =>
  muted_until !== null && Date.parse(muted_until) > nowMs;

export const mutedText = (until: string): string => `Muted until ${formatAbsolute(until)}`;
