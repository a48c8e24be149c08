"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { failureOf, isWorthRetrying } from "#app/_lib/failure.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "./failure-alert.tsx";
import { WhyCard } from "./why-card.tsx";

/** A request is recorded a moment after its answer. */
const recordedAfterMs = 500;
const triesMax = 10;

/** Why a request went where it went. */
export function WhyPanel({ id }: { id: string }) {
  const explanation = useQuery(
    useTRPC().generations.explanation.queryOptions(
      { id },
      {
        staleTime: 60_000,
        retry: (failed, error) =>
          failureOf(error).code === "NOT_FOUND" ? failed < triesMax : failed < 1 && isWorthRetrying(error),
        retryDelay: recordedAfterMs,
      },
    ),
  );
  if (explanation.isError)
    return <FailureAlert error={explanation.error} onRetry={() => void explanation.refetch()} />;
  return explanation.data ? <WhyCard explanation={explanation.data.data} /> : <Skeleton h={320} />;
}
