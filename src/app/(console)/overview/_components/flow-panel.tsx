"use client";

import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatAbsolute } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { FlowLegend } from "#app/_ui/flows/flow-legend.tsx";
import { FlowPicture } from "#app/_ui/flows/flow-picture.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import type { ActivityRange } from "#contract/activity.ts";
import { flowColumns, flowGraph } from "./flow-nodes.ts";
import { FlowTable } from "./flow-table.tsx";
import { chartPanelHeight } from "./sizes.ts";

/** Its shapes are long, and loaded when somebody asks for them. */
const FlowMap = part(
  () => import("./flow-map.tsx").then((loaded) => loaded.FlowMap),
  () => <Skeleton h={chartPanelHeight} radius="md" />,
);

const pollMs = 15_000;
const views = [
  { value: "diagram", label: "Diagram" },
  { value: "map", label: "Map" },
  { value: "table", label: "Table" },
];
const legend = [
  { label: "Completed", color: "sea.6" },
  { label: "Failed", color: "red.6" },
  { label: "Stopped early", color: "gray.6" },
];

/** Where the requests of a period went, and which providers were excluded. */
export function FlowPanel({ range }: { range: ActivityRange }) {
  const [view, setView] = useState("diagram");
  const flows = useQuery(
    useTRPC().overview.flows.queryOptions(
      { range },
      { placeholderData: keepPreviousData, refetchInterval: pollMs },
    ),
  );
  if (flows.isError) return <FailureAlert error={flows.error} onRetry={() => void flows.refetch()} />;
  if (!flows.data) return <Skeleton h={chartPanelHeight} radius="md" />;
  const report = flows.data;
  if (report.flows.length === 0) return null;
  return (
    <Panel
      title="Where requests went"
      aside={<SegmentedControl size="xs" aria-label="Show as" data={views} value={view} onChange={setView} />}
    >
      {view === "table" && <FlowTable report={report} />}
      {view === "map" && <FlowMap report={report} range={range} />}
      {view === "diagram" && (
        <>
          <FlowLegend items={legend} hasExcluded={report.excluded.length > 0} />
          <FlowPicture
            title="Where requests went"
            description="Requests from keys over rules and countries to providers; the table shows the same numbers"
            columns={flowColumns}
            graph={flowGraph(report)}
            range={range}
          />
        </>
      )}
      {report.counted_from && (
        <Text c="dimmed" size="xs" mt="xs">
          Only requests since {formatAbsolute(report.counted_from)} are counted.
        </Text>
      )}
    </Panel>
  );
}
