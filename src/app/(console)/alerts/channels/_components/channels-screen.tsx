"use client";

import { Button, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { AlertChannel } from "#contract/alert-channel.ts";
import { alertChannelTexts, alertChannelTypeNames } from "#contract/alert-texts.ts";

const ChannelEditor = part(() => import("./channel-editor.tsx").then(({ ChannelEditor }) => ChannelEditor));

/** The value of `edit` in the URL that opens the form for a new channel. */
const newChannelId = "new";
const pageRows = 50;
const debounceMs = 250;
const refreshMs = 15_000;

const filterFields = [
  { name: "find", label: "Search", placeholder: "Name or address", search: true },
  {
    name: "type",
    label: "Type",
    options: alertChannelTypeNames.map((value) => ({ value, label: alertChannelTexts[value].title })),
  },
] as const;

const columns: readonly Column<AlertChannel>[] = [
  {
    id: "name",
    header: "Channel",
    cell: ({ name, type, problem }) => (
      <TitleCell title={name} detail={problem ?? alertChannelTexts[type].title} />
    ),
  },
  {
    id: "target",
    header: "Sends to",
    cell: ({ target }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {target}
      </Text>
    ),
  },
  {
    id: "state",
    header: "Status",
    cell: ({ confirmation, paused, problem }) => {
      if (problem !== null) return <Status tone="bad">Cannot be read</Status>;
      if (confirmation === "pending") return <Status tone="warning">Not confirmed</Status>;
      if (!paused) return <Status tone="good">Active</Status>;
      return (
        <Status tone="warning" title={paused.reason}>
          Paused
        </Status>
      );
    },
  },
  {
    id: "signed",
    header: "Signed",
    visibleFrom: "sm",
    cell: ({ type, is_signed }) => (alertChannelTexts[type].signs ? (is_signed ? "Yes" : "No") : "–"),
  },
];

/** One page of the channels that pass the filters. */
function useChannelList() {
  const filters = useFilters(["find", "type"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const type = alertChannelTypeNames.find((name) => name === filters.values.type);
  const input = {
    limit: String(pageRows),
    offset: String(page * pageRows),
    ...(find && { search: find }),
    ...(type && { type }),
  };
  const list = useTRPC().alertChannels.list;
  const query = useQuery(
    list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: refreshMs }),
  );
  return { filters, page, setPage: (chosen: number) => void setPage(chosen || null), query };
}

export function ChannelsScreen() {
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  const { filters, page, setPage, query } = useChannelList();
  const mayWrite = useMay("alerts:write");
  const opened = query.data?.data.find(({ id }) => id === edit);
  const count = query.data?.total_count ?? 0;
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setEdit(newChannelId)}>
      Add channel
    </Button>
  );
  return (
    <Screen path="/alerts/channels" actions={create}>
      <FilterBar fields={filterFields} filters={filters} />
      <DataTable
        label="Channels"
        columns={columns}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setEdit(id)}
        selectedId={edit}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No channels yet"
            text="A channel is an e-mail address, a webhook or a Slack-compatible webhook. Rules choose which channels they notify."
          >
            {create}
          </EmptyState>
        }
        footer={count > pageRows && <Pages page={page} pageRows={pageRows} count={count} onPage={setPage} />}
      />
      {((edit === newChannelId && mayWrite) || opened) && (
        <ChannelEditor key={edit} channel={opened ?? null} onClose={() => setEdit(null)} />
      )}
    </Screen>
  );
}
