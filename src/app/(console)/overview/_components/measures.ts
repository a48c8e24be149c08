import { formatCount, formatEur, formatEurShort, formatStart, formatUsd } from "#app/_lib/format.ts";
import type { ChartData } from "#app/_ui/chart-data.ts";
import type { Overview } from "#contract/overview.ts";

type Bucket = Overview["buckets"][number];

interface Measure {
  readonly label: string;
  readonly fractions?: true;
  readonly format: (value: number) => string;
  readonly series: readonly {
    readonly name: string;
    readonly label: string;
    readonly color: string;
    readonly value: (bucket: Bucket) => number;
    /** The exact value where the drawn one is rounded. */
    readonly text?: (bucket: Bucket) => string;
  }[];
}

/** What the chart of the overview can show. */
export const measures = {
  requests: {
    label: "Requests",
    format: formatCount,
    series: [
      {
        name: "answered",
        label: "Completed",
        color: "sea.6",
        value: ({ requests, failed, cancelled, interrupted }) => requests - failed - cancelled - interrupted,
      },
      { name: "failed", label: "Failed", color: "red.6", value: ({ failed }) => failed },
      {
        name: "stopped",
        label: "Stopped early",
        color: "gray.6",
        value: ({ cancelled, interrupted }) => cancelled + interrupted,
      },
    ],
  },
  tokens: {
    label: "Tokens",
    format: formatCount,
    series: [
      { name: "in", label: "In", color: "sea.8", value: ({ tokens_in }) => tokens_in },
      { name: "out", label: "Out", color: "sea.4", value: ({ tokens_out }) => tokens_out },
    ],
  },
  eur: {
    label: "EUR",
    fractions: true,
    format: (value) => formatEurShort(value.toFixed(12)),
    series: [
      {
        name: "eur",
        label: "Spend in EUR",
        color: "sea.6",
        value: ({ cost_eur }) => Number(cost_eur),
        text: ({ cost_eur }) => formatEur(cost_eur),
      },
    ],
  },
  usd: {
    label: "USD",
    fractions: true,
    format: (value) => formatUsd(Number(value.toPrecision(3)).toFixed(12)),
    series: [
      {
        name: "usd",
        label: "Spend in USD",
        color: "sea.6",
        value: ({ cost_usd }) => Number(cost_usd),
        text: ({ cost_usd }) => formatUsd(cost_usd),
      },
    ],
  },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;

export const isMeasure = (text: string): text is MeasureName => Object.hasOwn(measures, text);

/** One measure of an overview's time buckets as chart data. */
export function chartOf(
  { buckets, step_ms }: Pick<Overview, "buckets" | "step_ms">,
  name: MeasureName,
): ChartData {
  const measure: Measure = measures[name];
  return {
    axis: "From",
    labels: buckets.map(({ start }) => formatStart(start, step_ms)),
    format: measure.format,
    fractions: measure.fractions ?? false,
    series: measure.series.map(({ value, text, ...series }) => ({
      ...series,
      values: buckets.map(value),
      ...(text && { texts: buckets.map(text) }),
    })),
  };
}
