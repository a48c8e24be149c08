import type { Overview } from "#contract/overview.ts";
import { formatCount, formatEurShort } from "../../../_lib/format.ts";

type Hour = Overview["hours"][number];

export interface Measure {
  readonly label: string;
  /** Stacked from the bottom up. Numbers here are only drawn; exact amounts stand in the table. */
  readonly series: readonly { name: string; label: string; color: string; value: (hour: Hour) => number }[];
  readonly format: (value: number) => string;
}

export type MeasureName = "requests" | "tokens" | "cost";

/** What the day's chart can show. */
export const measures: Record<MeasureName, Measure> = {
  requests: {
    label: "Requests",
    format: formatCount,
    series: [
      { name: "ok", label: "Answered", color: "sea.6", value: ({ requests, errors }) => requests - errors },
      { name: "errors", label: "Failed", color: "red.6", value: ({ errors }) => errors },
    ],
  },
  tokens: {
    label: "Tokens",
    format: formatCount,
    series: [
      { name: "tokens_in", label: "In", color: "sea.8", value: ({ tokens_in }) => tokens_in },
      { name: "tokens_out", label: "Out", color: "sea.4", value: ({ tokens_out }) => tokens_out },
    ],
  },
  cost: {
    label: "Cost",
    format: (value) => formatEurShort(value.toFixed(12)),
    series: [{ name: "cost", label: "EUR", color: "sea.6", value: ({ cost_eur }) => Number(cost_eur) }],
  },
};

/** `14:00` of an hour's start, in UTC. */
export const hourLabel = ({ hour }: Hour): string => hour.slice(11, 16);
