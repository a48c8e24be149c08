"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { formatAbsolute, formatCount, formatStart } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { isoOf } from "#app/_lib/use-now.ts";
import { ChartPanel, ChartSkeleton } from "#app/_ui/chart-panel.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { GenerationFilter } from "#contract/generation.ts";

interface VolumePanelProps {
  readonly filter: GenerationFilter;
  readonly nowMs: number;
  readonly live: boolean;
}

const height = 120;
const endings = [
  { name: "completed", label: "Completed", color: "sea.6" },
  { name: "failed", label: "Failed", color: "red.6" },
  { name: "cancelled", label: "Cancelled", color: "gray.6" },
  { name: "interrupted", label: "Interrupted", color: "orange.6" },
] as const;

/** Generations by start time. A search for an id has no volume. */
export function VolumePanel({ filter, nowMs, live }: VolumePanelProps) {
  const { from, to = isoOf(nowMs), find } = filter;
  const known = from !== undefined && find === undefined && from < to;
  const volume = useQuery(
    useTRPC().generations.volume.queryOptions(
      { ...filter, from: from ?? to, to },
      { enabled: known, placeholderData: keepPreviousData, refetchInterval: live ? 5_000 : false },
    ),
  );
  if (!known) return null;
  if (volume.isError) return <FailureAlert error={volume.error} onRetry={() => void volume.refetch()} />;
  if (!volume.data) return <ChartSkeleton height={height} />;
  const { step_ms: stepMs, buckets, counted_from: countedFrom } = volume.data;
  return (
    <ChartPanel
      title="Volume"
      description="Requests by start time"
      note={
        countedFrom === null
          ? null
          : `Only the newest requests are compared with this filter: counted from ${formatAbsolute(countedFrom)} on.`
      }
      height={height}
      empty="No requests in this period."
      data={{
        axis: "From",
        labels: buckets.map(({ start }) => formatStart(start, stepMs)),
        series: endings.map((ending) => ({
          ...ending,
          values: buckets.map((bucket) => bucket[ending.name]),
        })),
        format: formatCount,
      }}
    />
  );
}
