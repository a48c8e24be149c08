"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { GenerationDetail } from "#contract/generation.ts";
import { ReplayPanel } from "./replay-panel.tsx";
import { WhyCard } from "./why-card.tsx";

/** Why a request went where it went, and the same decision made again. */
export function RoutingPanel({ generation }: { generation: GenerationDetail }) {
  const { id } = generation;
  const explanation = useQuery(useTRPC().generations.explanation.queryOptions({ id }, { staleTime: 60_000 }));
  if (explanation.isError)
    return <FailureAlert error={explanation.error} onRetry={() => void explanation.refetch()} />;
  if (!explanation.data) return <Skeleton h={320} />;
  return (
    <Stack gap="xl">
      <WhyCard explanation={explanation.data.data} />
      <ReplayPanel generation={generation} />
    </Stack>
  );
}
