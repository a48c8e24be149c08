"use client";

import { Button, Group, Skeleton, Switch, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { CursorPages } from "#app/_ui/cursor-pages.tsx";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { generationIdOf } from "#contract/generation-id.ts";
import { cursorText, parseCursor } from "./cursor.ts";
import { logColumns } from "./log-columns.tsx";
import { errorField, keyField, modelField } from "./log-fields.ts";
import { customRange, filterNames, generationFilter, rangeChoices, statusChoices } from "./log-filters.ts";

const VolumePanel = dynamic(() => import("./volume-panel.tsx").then(({ VolumePanel }) => VolumePanel), {
  ssr: false,
  loading: () => <Skeleton h={200} radius="md" />,
});
const GenerationSheet = dynamic(
  () => import("./generation-sheet.tsx").then(({ GenerationSheet }) => GenerationSheet),
  { ssr: false },
);

const typedMs = 250;
const liveMs = 2_000;
const refreshMs = 30_000;

export function LogsScreen() {
  const trpc = useTRPC();
  const filters = useFilters(filterNames, ["after"]);
  const [linkedId, setOpen] = useQueryState("open", parseAsString);
  const open = linkedId && (generationIdOf(linkedId) ?? linkedId);
  const [after, setAfter] = useQueryState("after", parseAsString.withOptions({ history: "push" }));
  const [live, setLive] = useQueryState("live", parseAsBoolean.withDefault(false));
  const nowMs = useNow(refreshMs);
  // What is being typed is looked for once it stands still.
  const [debounced] = useDebouncedValue(JSON.stringify(filters.values), typedMs);
  const filter = generationFilter(JSON.parse(debounced), nowMs);
  const page = useQuery(
    trpc.generations.list.queryOptions(
      { ...filter, after: parseCursor(after) },
      { placeholderData: keepPreviousData, refetchInterval: live && !after ? liveMs : false },
    ),
  );
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const providers = useQuery(trpc.providers.list.queryOptions({}, { staleTime: 60_000 }));
  const next = page.data?.next;

  const fields = [
    { name: "find", label: "Search", placeholder: "Generation, request or session ID", search: true },
    { name: "range", label: "Time", placeholder: "Last 24 hours", options: rangeChoices },
    { name: "status", label: "Status", options: statusChoices },
    modelField,
    {
      name: "provider",
      label: "Provider",
      options: (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    keyField(keys.data?.data),
    errorField,
  ] as const;

  return (
    <Screen
      path="/logs"
      actions={
        <Switch
          label="Live"
          checked={live}
          disabled={after !== null}
          onChange={(event) => void setLive(event.currentTarget.checked || null)}
        />
      }
    >
      <FilterBar fields={fields} filters={filters} />
      {filters.values.range === customRange && (
        <Group gap="xs">
          {(["from", "to"] as const).map((name) => (
            <TextInput
              key={name}
              type="datetime-local"
              size="xs"
              label={name === "from" ? "From" : "To"}
              value={filters.values[name] ?? ""}
              onChange={(event) => filters.set(name, event.currentTarget.value)}
            />
          ))}
        </Group>
      )}
      <VolumePanel filter={filter} nowMs={nowMs} live={live} />
      <DataTable
        label="Requests"
        columns={logColumns(nowMs)}
        rows={page.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={page.error}
        onRetry={() => void page.refetch()}
        onClearFilters={filters.active > 0 || after ? filters.clear : undefined}
        skeletonRows={12}
        empty={
          <EmptyState
            title="No requests in the last 24 hours"
            text="Requests appear here within a second, with their attempts, excluded providers, usage and exact cost."
          >
            <Button component="a" href="/keys?create=true" size="xs">
              Create an API key
            </Button>
            <Button size="xs" variant="default" onClick={() => filters.set("range", "30d")}>
              Show 30 days
            </Button>
          </EmptyState>
        }
        footer={
          <CursorPages
            onNewest={after ? () => void setAfter(null) : null}
            onOlder={next ? () => void setAfter(cursorText(next)) : null}
          />
        }
      />
      {open && (
        <GenerationSheet
          id={open}
          ids={page.data?.data.map(({ id }) => id) ?? []}
          onOpen={(id) => void setOpen(id)}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}
