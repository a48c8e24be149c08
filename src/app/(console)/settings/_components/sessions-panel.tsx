"use client";

import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { browserName } from "#app/_lib/browser-name.ts";
import { goTo } from "#app/_lib/navigate.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { SignedInSession } from "#contract/profile.ts";

interface SessionsPanelProps {
  readonly sessions: readonly SignedInSession[];
  readonly onChanged: () => void;
}

const columnsOf = (nowMs: number, onEnd: (id: string) => void): readonly Column<SignedInSession>[] => [
  {
    id: "browser",
    header: "Browser",
    cell: ({ current, user_agent }) => (
      <Group gap="md">
        <Text size="sm" title={user_agent ?? undefined}>
          {browserName(user_agent)}
        </Text>
        {current && <Status tone="good">This session</Status>}
      </Group>
    ),
  },
  {
    id: "address",
    header: "IP address",
    visibleFrom: "sm",
    cell: ({ ip_address }) => ip_address ?? "Unknown",
  },
  {
    id: "signed-in",
    header: "Signed in",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "seen",
    header: "Last seen",
    cell: ({ updated_at }) => <RelativeTime iso={updated_at} nowMs={nowMs} />,
  },
  {
    id: "action",
    header: "Actions",
    align: "right",
    cell: ({ id, current, user_agent }) =>
      !current && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onEnd(id)}
          aria-label={`Sign out ${browserName(user_agent)}`}
        >
          Sign out{" "}
        </Button>
      ),
  },
];

/** Where a person is signed in, and how to end that. */
export function SessionsPanel({ sessions, onChanged }: SessionsPanelProps) {
  const nowMs = useNow(30_000);
  const trpc = useTRPC();
  const end = useMutation(
    trpc.profile.endSession.mutationOptions({
      onSuccess: () => toastDone("The session is signed out."),
      onError: toastFailure,
      onSettled: onChanged,
    }),
  );
  const endAll = useMutation(
    trpc.profile.signOutEverywhere.mutationOptions({
      onSuccess: () => goTo("/sign-in"),
      onError: toastFailure,
    }),
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Active sessions
        </Title>
        <Button size="xs" variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>
          Sign out everywhere
        </Button>
      </Group>
      <DataTable
        label="Sessions"
        columns={columnsOf(nowMs, (id) => end.mutate({ id }))}
        rows={sessions}
        rowId={({ id }) => id}
        empty="No active sessions."
      />
    </Stack>
  );
}
