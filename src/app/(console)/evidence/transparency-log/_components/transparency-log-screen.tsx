"use client";

import { SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { KeysPanel, PublicationPanel, StatePanel, WitnessPanel } from "./log-panels.tsx";
import { Timestamps } from "./timestamps.tsx";

/** The log of a new organisation begins within seconds. */
const againMs = 3_000;

export function TransparencyLogScreen() {
  const log = useQuery(
    useTRPC().transparencyLog.get.queryOptions(undefined, {
      retry: false,
      refetchInterval: ({ state }) => (state.status === "error" ? againMs : false),
    }),
  );
  return (
    <Screen path="/evidence/transparency-log">
      {log.isError && <FailureAlert error={log.error} onRetry={() => void log.refetch()} />}
      {log.isPending && <Skeleton h={240} radius="md" />}
      {log.data && (
        <Stack gap="md">
          <StatePanel log={log.data} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <KeysPanel log={log.data} />
            <WitnessPanel log={log.data} />
          </SimpleGrid>
          <PublicationPanel log={log.data} />
        </Stack>
      )}
      <Timestamps />
    </Screen>
  );
}
