"use client";

import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { exactAmountText } from "#app/_lib/limit-text.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Status } from "#app/_ui/status.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { KeySpent } from "#app/(console)/keys/_components/key-spent.tsx";
import { keyState } from "#app/(console)/keys/_components/key-state.ts";
import type { ConnectedApp } from "#contract/connected-app.ts";
import type { ApiKey } from "#contract/key.ts";

interface AppSheetProps {
  readonly app: ConnectedApp;
  readonly onClose: () => void;
}

const columnsOf = (nowMs: number, nameOf: (userId: string) => string): readonly Column<ApiKey>[] => [
  {
    id: "key",
    header: "Key",
    cell: (key) => (
      <>
        <Anchor component={Link} href={`/keys?open=${key.hash}`} size="sm">
          {key.name}
        </Anchor>
        <div>
          <Code>{key.label}</Code>
        </div>
        <Text component="span" size="xs" c="dimmed" hiddenFrom="sm">
          approved by {nameOf(key.creator_user_id)}
        </Text>
      </>
    ),
  },
  {
    id: "approved",
    header: "Approved",
    visibleFrom: "sm",
    cell: ({ creator_user_id, created_at }) => (
      <>
        {nameOf(creator_user_id)}
        <Text size="xs" c="dimmed">
          <RelativeTime iso={created_at} nowMs={nowMs} />
        </Text>
      </>
    ),
  },
  {
    id: "used",
    header: "Spent",
    align: "right",
    cell: (key) => <KeySpent apiKey={key} />,
  },
  {
    id: "state",
    header: "Status",
    visibleFrom: "sm",
    cell: (key) => {
      const { tone, label } = keyState(key, new Map(), nowMs);
      return <Status tone={tone}>{label}</Status>;
    },
  },
];

/** One application: who allowed it what, and taking all of it back. */
export function AppSheet({ app, onClose }: AppSheetProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const nowMs = useNow(10_000);
  const mayRemove = useMay("keys:write");
  const keys = useQuery(trpc.keys.list.queryOptions({ app_host: app.host, include_disabled: "true" }));
  const members = useQuery(trpc.members.list.queryOptions({}, { staleTime: 60_000 }));
  const nameOf = (userId: string) =>
    members.data?.data.find(({ user_id }) => user_id === userId)?.name ?? "Former member";
  const removed = async () => {
    onClose();
    await queryClient.invalidateQueries();
    await toastDone(`${app.host} is removed. Its keys no longer work.`);
  };
  return (
    <Sheet title={<span translate="no">{app.host}</span>} onClose={onClose} size="min(760px, 100vw)">
      <Stack>
        <Facts
          label="App"
          rows={[
            ["First approved", <RelativeTime key="first" iso={app.first_approved_at} nowMs={nowMs} />],
            [
              "Last used",
              app.last_used ? <RelativeTime key="used" iso={app.last_used} nowMs={nowMs} /> : "Never",
            ],
            ["Spent", exactAmountText(app.usage)],
          ]}
        />
        <DataTable
          label="Keys of the app"
          columns={columnsOf(nowMs, nameOf)}
          rows={keys.data?.data}
          rowId={({ hash }) => hash}
          error={keys.error}
          onRetry={() => void keys.refetch()}
          skeletonRows={2}
          empty="No keys."
        />
        {mayRemove && (
          <Group>
            <ConfirmButton
              variant="default"
              label="Remove app"
              verb="Remove"
              name={app.host}
              text="All keys of this app that you can see are revoked within two seconds, including pending authorisations. This cannot be undone. Usage records are kept."
              onConfirm={() => client.connectedApps.remove.mutate({ host: app.host })}
              onDone={removed}
            />
          </Group>
        )}
      </Stack>
    </Sheet>
  );
}
