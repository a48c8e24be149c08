"use client";

import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useTRPC } from "../../../_lib/trpc.ts";
import { FailureAlert } from "../../../_ui/failure-alert.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { OverviewSkeleton } from "./overview-skeleton.tsx";
import { chartPanelHeight, latestPanelHeight } from "./sizes.ts";
import { StatTiles } from "./stat-tiles.tsx";

/** The panels have nothing to show before the numbers arrive; their script comes at the same time. */
const DayPanel = dynamic(() => import("./day-panel.tsx").then(({ DayPanel }) => DayPanel), {
  loading: () => <Skeleton h={chartPanelHeight} radius="md" />,
  ssr: false,
});
const LatestPanel = dynamic(() => import("./latest-panel.tsx").then(({ LatestPanel }) => LatestPanel), {
  loading: () => <Skeleton h={latestPanelHeight} radius="md" />,
  ssr: false,
});

const waitingPollMs = 2_000;
const pollMs = 15_000;

export function OverviewScreen() {
  const overview = useQuery(
    useTRPC().overview.get.queryOptions(undefined, {
      refetchInterval: ({ state }) =>
        state.data?.checklist.first_request === false ? waitingPollMs : pollMs,
    }),
  );
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <div>
        <Title order={1} size="h2">
          Overview
        </Title>
        <Text c="dimmed" size="sm">
          Today, counted from midnight UTC
        </Text>
      </div>
      {overview.isError && <FailureAlert error={overview.error} onRetry={() => void overview.refetch()} />}
      {overview.isPending && <OverviewSkeleton />}
      {overview.data && (
        <>
          <FirstSteps checklist={overview.data.checklist} exampleModel={overview.data.example_model} />
          <StatTiles totals={overview.data.totals} credit={overview.data.credit} />
          <DayPanel day={overview.data.day} hours={overview.data.hours} />
          <LatestPanel latest={overview.data.latest} />
        </>
      )}
    </Stack>
  );
}
