"use client";

import { SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { type ActivityRange, activityRanges } from "#contract/activity.ts";
import { FirstSteps } from "./first-steps.tsx";
import { OverviewSkeleton } from "./overview-skeleton.tsx";

/** The panels have nothing to show before the numbers arrive; their script comes at the same time. */
const OverviewPanels = part(
  () => import("./overview-panels.tsx").then(({ OverviewPanels }) => OverviewPanels),
  OverviewSkeleton,
);

const waitingPollMs = 2_000;
const pollMs = 15_000;
const ranges = Object.keys(activityRanges) as ActivityRange[];
const rangeChoices = ranges.map((value) => ({ value, label: activityRanges[value].label }));

export function OverviewScreen() {
  const trpc = useTRPC();
  const [range, setRange] = useQueryState("range", parseAsStringLiteral(ranges).withDefault("24h"));
  const steps = useQuery(
    trpc.overview.firstSteps.queryOptions(
      {},
      {
        refetchInterval: ({ state }) => (state.data?.first_request === false ? waitingPollMs : pollMs),
      },
    ),
  );
  const overview = useQuery(
    trpc.overview.get.queryOptions(
      { range },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => (state.data?.latest.length === 0 ? waitingPollMs : pollMs),
      },
    ),
  );
  return (
    <Screen
      path="/overview"
      description={`The last ${activityRanges[range].label} of your organisation`}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Range"
          data={rangeChoices}
          value={range}
          onChange={(chosen) => void setRange(ranges.find((known) => known === chosen) ?? null)}
        />
      }
    >
      {steps.data && <FirstSteps steps={steps.data} />}
      {overview.isError && <FailureAlert error={overview.error} onRetry={() => void overview.refetch()} />}
      {overview.isPending && <OverviewSkeleton />}
      {overview.data && <OverviewPanels overview={overview.data} range={range} />}
    </Screen>
  );
}
