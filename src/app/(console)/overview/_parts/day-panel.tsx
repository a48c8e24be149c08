"use client";

import { Center, Group, SegmentedControl, Skeleton, Text } from "@mantine/core";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Overview } from "#contract/overview.ts";
import { Panel } from "../../../_ui/panel.tsx";
import { DayTable } from "./day-table.tsx";
import { type MeasureName, measures } from "./measures.ts";
import { chartHeight, emptyHeight } from "./sizes.ts";

/** The chart library is half of this screen's script: it comes after the numbers. */
const DayChart = dynamic(() => import("./day-chart.tsx").then(({ DayChart }) => DayChart), {
  ssr: false,
  loading: () => <Skeleton h={chartHeight} />,
});

const measureChoices = Object.entries(measures).map(([value, { label }]) => ({ value, label }));
const isMeasure = (text: string): text is MeasureName => Object.hasOwn(measures, text);

/** The day hour by hour, as a chart or as the same numbers in a table. */
export function DayPanel({ day, hours }: Pick<Overview, "day" | "hours">) {
  const [measure, setMeasure] = useState<MeasureName>("requests");
  const [face, setFace] = useState("chart");
  const empty = hours.every(({ requests }) => requests === 0);
  const aside = (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Measure"
        data={measureChoices}
        value={measure}
        onChange={(chosen) => isMeasure(chosen) && setMeasure(chosen)}
      />
      <SegmentedControl
        size="xs"
        aria-label="Show as"
        data={[
          { value: "chart", label: "Chart" },
          { value: "table", label: "Table" },
        ]}
        value={face}
        onChange={setFace}
      />
    </Group>
  );
  return (
    <Panel title="By hour" aside={empty ? null : aside}>
      {empty ? (
        <Center h={emptyHeight}>
          <Text c="dimmed" ta="center">
            No requests today. The first one will show up here by itself.
          </Text>
        </Center>
      ) : face === "chart" ? (
        <DayChart day={day} hours={hours} measure={measures[measure]} />
      ) : (
        <DayTable day={day} hours={hours} />
      )}
    </Panel>
  );
}
