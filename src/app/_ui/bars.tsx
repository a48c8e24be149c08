"use client";

import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import { Box, Group, Text } from "@mantine/core";
import type { ChartData } from "./chart-data.ts";

interface BarsProps {
  readonly description: string;
  readonly data: ChartData;
  readonly height: number;
}

/** Room for the longest number on the axis, in pixels. */
const axisWidth = (texts: readonly string[]): number =>
  Math.min(110, Math.max(64, ...texts.map((text) => 8 * text.length)));

/** Stacked bars. The table shows the same numbers to people who cannot see them. */
export function Bars({ description, data, height }: BarsProps) {
  const { labels, format, fractions = false, sideBySide = false } = data;
  // A series without bars needs no legend.
  const series = data.series.filter(({ values }) => values.some((value) => value !== 0));
  const points = labels.map((label, index) => ({
    label,
    ...Object.fromEntries(series.map(({ name, values }) => [name, values[index] ?? 0])),
  }));
  return (
    <div role="img" aria-label={`${description}; the table shows the same numbers`}>
      {data.series.length > 1 && (
        <Group gap="md" justify="flex-end" mb={4}>
          {series.map(({ name, label, color }) => (
            <Group key={name} gap={6}>
              <Box w={10} h={10} bg={color} style={{ borderRadius: "50%" }} />
              <Text size="xs">{label}</Text>
            </Group>
          ))}
        </Group>
      )}
      <BarChart
        h={height}
        data={points}
        dataKey="label"
        type={sideBySide ? "default" : "stacked"}
        series={series.map(({ name, label, color }) => ({ name, label, color }))}
        valueFormatter={format}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={28}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{
          width: axisWidth(series.flatMap(({ values }) => format(Math.max(...values)))),
          allowDecimals: fractions,
        }}
        xAxisProps={{ minTickGap: 24 }}
      />
    </div>
  );
}
