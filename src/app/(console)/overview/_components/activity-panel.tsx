"use client";

import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { ChartPanel } from "#app/_ui/chart-panel.tsx";
import type { Overview } from "#contract/overview.ts";
import { chartOf, isMeasure, type MeasureName, measures } from "./measures.ts";
import { chartHeight } from "./sizes.ts";

const choices = Object.entries(measures).map(([value, { label }]) => ({ value, label }));

/** The range in time buckets. */
export function ActivityPanel({ overview }: { overview: Overview }) {
  const [measure, setMeasure] = useState<MeasureName>("requests");
  return (
    <ChartPanel
      title="Over time"
      description={`${measures[measure].label} over time`}
      data={chartOf(overview, measure)}
      height={chartHeight}
      empty="No requests in this period. New requests appear here automatically."
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          data={choices}
          value={measure}
          onChange={(chosen) => isMeasure(chosen) && setMeasure(chosen)}
        />
      }
    />
  );
}
