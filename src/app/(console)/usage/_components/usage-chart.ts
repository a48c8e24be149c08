import { formatCount, formatDay, formatEur, formatEurShort, formatUsd } from "#app/_lib/format.ts";
import type { ChartData } from "#app/_ui/chart-data.ts";
import type { UsageSeriesRow } from "#contract/usage-report.ts";
import { type Days, everyDay } from "./days.ts";

type Amount = Pick<UsageSeriesRow, "requests" | "tokens" | "cost_eur" | "cost_usd">;

interface Measure {
  readonly label: string;
  readonly fractions: boolean;
  readonly value: (row: Amount) => number;
  /** Exact, where the drawn value is rounded. */
  readonly text: (row: Amount) => string;
  readonly format: (value: number) => string;
}

const usdShort = (value: number): string =>
  formatUsd(value >= 1 ? value.toFixed(2) : Number(value.toPrecision(3)).toFixed(12));

/** What the chart of usage can show. */
export const measures = {
  eur: {
    label: "EUR",
    fractions: true,
    value: ({ cost_eur }) => Number(cost_eur),
    text: ({ cost_eur }) => formatEur(cost_eur),
    format: (value) => formatEurShort(value.toFixed(12)),
  },
  usd: {
    label: "USD",
    fractions: true,
    value: ({ cost_usd }) => Number(cost_usd),
    text: ({ cost_usd }) => formatUsd(cost_usd),
    format: usdShort,
  },
  requests: {
    label: "Requests",
    fractions: false,
    value: ({ requests }) => requests,
    text: ({ requests }) => formatCount(requests),
    format: formatCount,
  },
  tokens: {
    label: "Tokens",
    fractions: false,
    value: ({ tokens }) => tokens,
    text: ({ tokens }) => formatCount(tokens),
    format: formatCount,
  },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as MeasureName[];

/** Distinct in light and dark and for most kinds of colour blindness; the rest is grey. */
const colours = ["sea.6", "orange.6", "grape.6", "lime.7", "blue.6", "pink.6"] as const;
const restColour = "gray.6";

const nothing: Amount = { requests: 0, tokens: 0, cost_eur: "0", cost_usd: "0" };

/** The days of a span with one measure, stacked by name in the order the server ranks them. */
export function usageChart(
  rows: readonly UsageSeriesRow[],
  days: Days,
  name: MeasureName,
  labelOf: (name: string | null) => string,
): ChartData {
  const measure: Measure = measures[name];
  const shown = everyDay(days);
  const idOf = (row: UsageSeriesRow) => (row.rest ? "rest" : `name ${row.name}`);
  const series = [...Map.groupBy(rows, idOf)].map(([id, own]) => {
    const byDay = new Map(own.map((row) => [row.day, row]));
    const amounts = shown.map((day) => byDay.get(day) ?? nothing);
    return {
      id,
      label: id === "rest" ? "Other" : labelOf(own[0]?.name ?? null),
      values: amounts.map(measure.value),
      texts: amounts.map(measure.text),
    };
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const ranked = series.toSorted(
    (a, b) => Number(a.id === "rest") - Number(b.id === "rest") || sum(b.values) - sum(a.values),
  );
  return {
    axis: "Day",
    labels: shown.map(formatDay),
    format: measure.format,
    fractions: measure.fractions,
    series: ranked.map(({ id, ...one }, at) => ({
      ...one,
      name: `series${at}`,
      color: id === "rest" ? restColour : (colours[at] ?? restColour),
    })),
  };
}
