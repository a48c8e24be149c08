"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState, useQueryStates } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { columnsOf } from "./update-columns.tsx";

const UpdateForm = part(() => import("./update-form.tsx").then(({ UpdateForm }) => UpdateForm));
const ComparisonSheet = part(() =>
  import("./comparison-sheet.tsx").then(({ ComparisonSheet }) => ComparisonSheet),
);

const fields = [{ name: "find", label: "Search", placeholder: "File or address", search: true }] as const;

/** Documents of the catalogue that were compared, applied and undone. */
export function UpdatesScreen() {
  const operator = useIsOperator();
  const nowMs = useNow(30_000);
  const filters = useFilters(["find"]);
  const { find } = filters.values;
  const query = find === null ? {} : { search: find };
  const list = useQuery(useTRPC().catalogueUpdates.list.queryOptions(query, { enabled: operator }));
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryStates({ open: parseAsString, group: parseAsString, name: parseAsString });
  const show = (id: string | null) => void setOpen({ open: id, group: null, name: null });
  const button = operator && (
    <Button size="xs" onClick={() => void setAdd("update")}>
      Update catalogue
    </Button>
  );
  return (
    <Screen path="/providers/updates" actions={button}>
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Catalogue updates"
        columns={columnsOf(nowMs)}
        rows={list.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => show(id)}
        selectedId={open.open}
        error={list.error}
        onRetry={() => void list.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        skeletonRows={3}
        empty={
          <EmptyState
            title="No updates yet"
            text="The shipped catalogue is in use. Compare a newer file to see new prices, models and facts before they apply."
          >
            {button}
          </EmptyState>
        }
      />
      {operator && add !== null && (
        <UpdateForm
          onCompared={(id) => {
            void setAdd(null);
            show(id);
          }}
          onClose={() => void setAdd(null)}
        />
      )}
      {operator && open.open !== null && <ComparisonSheet id={open.open} onClose={() => show(null)} />}
    </Screen>
  );
}
