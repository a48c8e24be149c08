"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { kindIn, kindOptions } from "#app/(console)/alerts/_components/alert-text.ts";
import { incidentColumns } from "./incident-columns.tsx";

const IncidentSheet = part(() => import("./incident-sheet.tsx").then(({ IncidentSheet }) => IncidentSheet));

const pageRows = 50;
const debounceMs = 250;
const refreshMs = 15_000;

const stateOptions = [
  { value: "open", label: "Open" },
  { value: "resolved", label: "Resolved" },
] as const;

/** One page of the incidents that pass the filters. */
function useIncidentList() {
  const filters = useFilters(["find", "state", "kind", "rule"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const kind = kindIn(filters.values.kind);
  const state = stateOptions.find(({ value }) => value === filters.values.state)?.value;
  const { rule } = filters.values;
  const input = {
    limit: String(pageRows),
    offset: String(page * pageRows),
    ...(find && { search: find }),
    ...(kind && { kind }),
    ...(state && { state }),
    ...(rule && { rule_id: rule }),
  };
  const list = useTRPC().alertIncidents.list;
  const query = useQuery(
    list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: refreshMs }),
  );
  return { filters, page, setPage: (chosen: number) => void setPage(chosen || null), query };
}

export function IncidentsScreen() {
  const [open, setOpen] = useQueryState("open", parseAsString);
  const { filters, page, setPage, query } = useIncidentList();
  const rules = useQuery(useTRPC().alertRules.list.queryOptions({}));
  const nowMs = useNow(refreshMs);
  const mayMute = useMay("alerts:write");
  const shown = query.data?.data.find(({ id }) => id === open);
  const count = query.data?.total_count ?? 0;
  const fields = [
    { name: "find", label: "Search", placeholder: "Title", search: true },
    { name: "state", label: "Status", options: stateOptions },
    { name: "kind", label: "Kind", options: kindOptions },
    {
      name: "rule",
      label: "Rule",
      options: (rules.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
  ] as const;
  return (
    <Screen path="/alerts/incidents">
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Incidents"
        columns={incidentColumns(nowMs)}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No incidents yet"
            text="What alert rules find appears here within a minute, with the notifications that were sent. Resolved incidents are kept for 90 days."
          />
        }
        footer={count > pageRows && <Pages page={page} pageRows={pageRows} count={count} onPage={setPage} />}
      />
      {shown && <IncidentSheet incident={shown} mayMute={mayMute} onClose={() => void setOpen(null)} />}
    </Screen>
  );
}
