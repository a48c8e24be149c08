"use client";

import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { listOf, recordOf, textOf } from "#app/_lib/json.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Message } from "#app/_ui/message.tsx";

/** The messages and the answer, if they were stored. */
export function Content({ id }: { id: string }) {
  const replay = useQuery(useTRPC().generations.replay.queryOptions({ id }, { staleTime: 60_000 }));
  if (replay.isError) return <FailureAlert error={replay.error} onRetry={() => void replay.refetch()} />;
  if (!replay.data) return <Skeleton h={160} />;
  const { body, content_kept: isStored, answer } = replay.data;
  if (!isStored) {
    return (
      <Text size="sm" c="dimmed">
        Prompts and answers are kept only for stored responses and chat completions, until they expire or are
        deleted.
      </Text>
    );
  }
  const instructions = textOf(body.instructions);
  const items = [
    ...(instructions === "" ? [] : [{ role: "instructions", content: instructions }]),
    ...listOf(body.input).map(recordOf),
    ...(answer ? [{ role: "assistant", content: answer }] : []),
  ];
  return (
    <Stack gap="md">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of stored messages does not change
        <Message key={at} item={item} />
      ))}
    </Stack>
  );
}
