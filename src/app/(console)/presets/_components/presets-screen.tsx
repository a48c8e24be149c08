"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { presetColumns } from "./preset-columns.tsx";
import { presetFilterFields, presetPageRows, usePresetList } from "./use-preset-list.ts";

const NewPresetSheet = part(() => import("./preset-sheet.tsx").then(({ NewPresetSheet }) => NewPresetSheet));
const PresetSheet = part(() => import("./preset-sheet.tsx").then(({ PresetSheet }) => PresetSheet));

const refreshMs = 30_000;

export function PresetsScreen() {
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const { query, filters, page, setPage } = usePresetList();
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const workspaceName = (id: string) => workspaces.data?.data.find((one) => one.id === id)?.name;
  const nowMs = useNow(refreshMs);
  const mayWrite = useMay("workspaces:write");
  const count = query.data?.total_count ?? 0;
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setAdd("new")}>
      Create preset
    </Button>
  );
  return (
    <Screen path="/presets" actions={create}>
      <FilterBar fields={presetFilterFields} filters={filters} />
      <DataTable
        label="Presets"
        columns={presetColumns(nowMs, workspaceName)}
        rows={query.data?.data}
        rowId={({ name }) => name}
        onOpen={({ name }) => void setOpen(name)}
        selectedId={open}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No presets yet"
            text="A preset holds models, parameters, a system prompt and provider preferences under a name. Apps name it, and you change it for all of them at once. Each change is a new version."
          >
            {create}
          </EmptyState>
        }
        footer={
          count > presetPageRows && (
            <Pages page={page} pageRows={presetPageRows} count={count} onPage={setPage} />
          )
        }
      />
      {add !== null && mayWrite && <NewPresetSheet onClose={() => setAdd(null)} />}
      {open !== null && <PresetSheet key={open} name={open} onClose={() => setOpen(null)} />}
    </Screen>
  );
}
