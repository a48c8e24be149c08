"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { formatCount } from "#app/_lib/format.ts";
import { amountText, exactAmountText } from "#app/_lib/limit-text.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { ConnectedApp } from "#contract/connected-app.ts";
import { NoApps } from "./no-apps.tsx";

const AppSheet = part(() => import("./app-sheet.tsx").then(({ AppSheet }) => AppSheet));

const columnsOf = (nowMs: number): readonly Column<ConnectedApp>[] => [
  {
    id: "host",
    header: "App",
    compare: (a, b) => a.host.localeCompare(b.host, "en"),
    cell: ({ host }) => (
      <Text component="span" size="sm" fw={500} translate="no" style={{ overflowWrap: "anywhere" }}>
        {host}
      </Text>
    ),
  },
  {
    id: "people",
    header: "Approved by",
    visibleFrom: "sm",
    cell: ({ people, keys }) =>
      `${people === 1 ? "1 person" : `${formatCount(people)} people`}, ${keys === 1 ? "1 key" : `${formatCount(keys)} keys`}`,
  },
  {
    id: "approved",
    header: "Last approved",
    visibleFrom: "sm",
    compare: (a, b) => a.last_approved_at.localeCompare(b.last_approved_at),
    cell: ({ last_approved_at: at }) => <RelativeTime iso={at} nowMs={nowMs} />,
  },
  {
    id: "used",
    header: "Last used",
    compare: (a, b) => (a.last_used ?? "").localeCompare(b.last_used ?? ""),
    cell: ({ last_used: at }) => (at ? <RelativeTime iso={at} nowMs={nowMs} /> : "Never"),
  },
  {
    id: "spent",
    header: "Spent",
    align: "right",
    compare: (a, b) => a.usage - b.usage,
    cell: ({ usage }) => <span title={exactAmountText(usage)}>{amountText(usage)}</span>,
  },
];

/** The applications people gave keys to, by the host that asked. */
export function AppsScreen() {
  const nowMs = useNow(10_000);
  const apps = useQuery(useTRPC().connectedApps.list.queryOptions({}));
  const [open, setOpen] = useQueryState("open", parseAsString);
  const sorting = useSort("-approved");
  const opened = apps.data?.data.find(({ host }) => host === open);
  return (
    <Screen path="/keys/apps">
      <DataTable
        label="Connected apps"
        columns={columnsOf(nowMs)}
        rows={apps.data?.data}
        rowId={({ host }) => host}
        onOpen={({ host }) => void setOpen(host)}
        selectedId={open}
        error={apps.error}
        onRetry={() => void apps.refetch()}
        skeletonRows={4}
        empty={<NoApps />}
        {...sorting}
      />
      {opened && <AppSheet key={opened.host} app={opened} onClose={() => void setOpen(null)} />}
    </Screen>
  );
}
