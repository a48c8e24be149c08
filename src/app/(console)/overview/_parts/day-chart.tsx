"use client";

import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import { Box } from "@mantine/core";
import type { Overview } from "#contract/overview.ts";
import { hourLabel, type Measure } from "./measures.ts";
import { chartHeight } from "./sizes.ts";

interface DayChartProps extends Pick<Overview, "day" | "hours"> {
  readonly measure: Measure;
}

/** Bars of the day. Its table twin tells the same to those who cannot see it. */
export function DayChart({ day, hours, measure }: DayChartProps) {
  const data = hours.map((hour) => ({
    hour: hourLabel(hour),
    ...Object.fromEntries(measure.series.map(({ name, value }) => [name, value(hour)])),
  }));
  return (
    <Box role="img" aria-label={`${measure.label} on ${day} by hour; the table holds the same numbers`}>
      <BarChart
        h={chartHeight}
        data={data}
        dataKey="hour"
        type="stacked"
        series={measure.series.map(({ name, label, color }) => ({ name, label, color }))}
        valueFormatter={measure.format}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={28}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
        withLegend={measure.series.length > 1}
        legendProps={{ verticalAlign: "top", height: 32 }}
        yAxisProps={{ width: 56, allowDecimals: measure.label === "Cost" }}
      />
    </Box>
  );
}
