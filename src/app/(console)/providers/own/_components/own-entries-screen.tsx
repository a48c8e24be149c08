"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { columnsOf } from "./entry-columns.tsx";

const AddProviderSheet = dynamic(
  () => import("./add-provider-sheet.tsx").then(({ AddProviderSheet }) => AddProviderSheet),
  { ssr: false },
);
const EntrySheet = dynamic(() => import("./entry-sheet.tsx").then(({ EntrySheet }) => EntrySheet), {
  ssr: false,
});

const fields = [
  { name: "find", label: "Search", placeholder: "Name", search: true },
  {
    name: "section",
    label: "Type",
    placeholder: "All entries",
    options: [
      { value: "provider", label: "Providers" },
      { value: "model", label: "Models" },
      { value: "endpoint", label: "Endpoints" },
    ],
  },
] as const;

/** What the organisation added to the catalogue, and which facts it replaced. */
export function OwnEntriesScreen() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const list = useQuery(trpc.catalogueEntries.list.queryOptions({}));
  const mayEdit = useMay("byok:write");
  const filters = useFilters(["find", "section"]);
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const setEnabled = useEnabledSwitch(trpc.catalogueEntries.list.queryKey({}), ({ id, enabled }) =>
    client.catalogueEntries.update.mutate({ id, enabled }),
  );
  const { find, section } = filters.values;
  const wanted = find?.toLowerCase() ?? "";
  const rows = list.data?.data.filter(
    (row) => row.name.toLowerCase().includes(wanted) && (section === null || row.section === section),
  );
  const opened = list.data?.data.find(({ id }) => id === open);
  const button = mayEdit && (
    <Button size="xs" onClick={() => void setAdd("provider")}>
      Add a provider
    </Button>
  );
  return (
    <Screen path="/providers/own" actions={button}>
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Own catalogue entries"
        columns={columnsOf(mayEdit ? setEnabled : null)}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={list.error}
        onRetry={() => void list.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No own providers yet"
            text="Add your own vLLM, Ollama or any server with OpenAI's API. Requests can use it at once, without a restart."
          >
            {button}
          </EmptyState>
        }
      />
      {mayEdit && add !== null && <AddProviderSheet onClose={() => void setAdd(null)} />}
      {opened && (
        <EntrySheet
          key={opened.updated_at}
          entry={opened}
          mayEdit={mayEdit}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}
