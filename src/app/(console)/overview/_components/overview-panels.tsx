"use client";

import { SimpleGrid } from "@mantine/core";
import type { ActivityRange } from "#contract/activity.ts";
import type { Overview } from "#contract/overview.ts";
import { ActivityPanel } from "./activity-panel.tsx";
import { FlowPanel } from "./flow-panel.tsx";
import { GenerationsPanel } from "./generations-panel.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { StatTiles } from "./stat-tiles.tsx";
import { TopPanel } from "./top-panel.tsx";

/** All panels of a range. */
export function OverviewPanels({ overview, range }: { overview: Overview; range: ActivityRange }) {
  const { totals, previous, credit, refused, top, latest, recent_errors } = overview;
  return (
    <>
      <StatTiles totals={totals} previous={previous} credit={credit} refused={refused} range={range} />
      <FlowPanel range={range} />
      <ActivityPanel overview={overview} />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        <TopPanel title="Top models" rows={top.models} filter="model" range={range} />
        <TopPanel title="Top providers" rows={top.providers} filter="provider" range={range} />
        <TopPanel title="Top keys" rows={top.keys} filter="key" range={range} />
      </SimpleGrid>
      <HealthPanel />
      {recent_errors.length > 0 && (
        <GenerationsPanel
          title="Recent errors"
          lines={recent_errors}
          empty="No errors in this period."
          href={`/logs?range=${range}&status=failed`}
        />
      )}
      <GenerationsPanel title="Latest requests" lines={latest} empty="No requests yet." href="/logs" />
    </>
  );
}
