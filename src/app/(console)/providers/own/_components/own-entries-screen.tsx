"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { CatalogueEntry } from "#contract/catalogue-entry.ts";
import { columnsOf } from "./entry-columns.tsx";
import { entryFilterFields, entryPageRows, useEntryList } from "./use-entry-list.ts";

const AddProviderSheet = part(() =>
  import("./add-provider-sheet.tsx").then(({ AddProviderSheet }) => AddProviderSheet),
);
const OverrideSheet = part(() => import("./override-sheet.tsx").then(({ OverrideSheet }) => OverrideSheet));
const EntrySheet = part(() => import("./entry-sheet.tsx").then(({ EntrySheet }) => EntrySheet));

/** Few organisations have more entries than one page shows. */
const Pages = part(() => import("#app/_ui/pages.tsx").then(({ Pages }) => Pages));

/** The entry that the URL opens: of the listed ones, or asked for when it is on another page. */
function useOpenedEntry(id: string | null, listed: readonly CatalogueEntry[] | undefined) {
  const found = listed?.find((entry) => entry.id === id);
  const isElsewhere = listed !== undefined && id !== null && !found;
  const { get } = useTRPC().catalogueEntries;
  const other = useQuery(get.queryOptions({ id: id ?? "" }, { enabled: isElsewhere }));
  return found ?? (other.data?.data.id === id ? other.data?.data : undefined);
}

/** What the organisation added to the catalogue, and which facts it replaced. */
export function OwnEntriesScreen() {
  const { query, filters, page, setPage, setEnabled } = useEntryList();
  const mayEdit = useMay("byok:write");
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const [override, setOverride] = useQueryState("override", parseAsString);
  const opened = useOpenedEntry(open, query.data?.data);
  const count = query.data?.total_count ?? 0;
  const button = mayEdit && (
    <Button size="xs" onClick={() => void setAdd("provider")}>
      Add a provider
    </Button>
  );
  return (
    <Screen path="/providers/own" actions={button}>
      <FilterBar fields={entryFilterFields} filters={filters} />
      <DataTable
        label="Own catalogue entries"
        columns={columnsOf(mayEdit ? setEnabled : null)}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No own providers yet"
            text="Add your own vLLM, Ollama or any server with OpenAI's API. Requests can use it at once, without a restart."
          >
            {button}
          </EmptyState>
        }
        footer={
          count > entryPageRows && (
            <Pages page={page} pageRows={entryPageRows} count={count} onPage={setPage} />
          )
        }
      />
      {mayEdit && add !== null && <AddProviderSheet onClose={() => void setAdd(null)} />}
      {mayEdit && override !== null && (
        <OverrideSheet key={override} slug={override} onClose={() => setOverride(null)} />
      )}
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
