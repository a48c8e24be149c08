"use client";

import { Center, Group, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { ChartData } from "./chart-data.ts";
import { ChartTable } from "./chart-table.tsx";
import { Panel } from "./panel.tsx";
import { part } from "./part.tsx";

interface ChartPanelProps {
  readonly title: string;
  /** What the picture shows, in words. */
  readonly description: string;
  readonly data: ChartData;
  readonly height?: number;
  /** Shown when every value is zero. */
  readonly empty: string;
  readonly controls?: ReactNode;
  /** What the numbers leave out. */
  readonly note?: string | null;
}

/** The chart library is half of a screen's script: it comes after the numbers. */
const Bars = part(() => import("./bars.tsx").then(({ Bars }) => Bars));

const views = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];

/** Numbers as bars or, the same ones, as a table. */
export function ChartPanel(props: ChartPanelProps) {
  const { title, description, data, height = 240, empty, controls, note = null } = props;
  const [view, setView] = useState("chart");
  const nothing = data.series.every(({ values }) => values.every((value) => value === 0));
  const aside = nothing ? (
    controls
  ) : (
    <Group gap="xs">
      {controls}
      <SegmentedControl size="xs" aria-label="Show as" data={views} value={view} onChange={setView} />
    </Group>
  );
  return (
    <Panel title={title} aside={aside}>
      {nothing ? (
        <Center h={Math.min(height, 120)}>
          <Text c="dimmed" ta="center" size="sm">
            {empty}
          </Text>
        </Center>
      ) : view === "table" ? (
        <ChartTable caption={description} data={data} height={height} />
      ) : (
        <div style={{ minHeight: height }}>
          <Bars description={description} data={data} height={height} />
        </div>
      )}
      {note !== null && (
        <Text c="dimmed" size="xs" mt="xs">
          {note}
        </Text>
      )}
    </Panel>
  );
}

/** A chart before its numbers are there. */
export const ChartSkeleton = ({ height = 240 }: { height?: number }) => (
  <Skeleton h={height + 80} radius="md" />
);
