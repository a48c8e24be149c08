"use client";

import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { errorField, keyField, modelField } from "#app/(console)/logs/_components/log-fields.ts";
import { useNameOfKey } from "#app/(console)/logs/_components/use-name-of-key.ts";
import { refusedColumns } from "./refused-columns.tsx";

const RefusedSheet = part(() => import("./refused-sheet.tsx").then(({ RefusedSheet }) => RefusedSheet));

const pageRows = 50;
const typedMs = 250;
const refreshMs = 10_000;

export function RefusedScreen() {
  const trpc = useTRPC();
  const filters = useFilters(["find", "model", "key", "error"], ["page"]);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const nowMs = useNow(refreshMs);
  const [{ find, model, key, error }] = useDebouncedValue(filters.values, typedMs);
  const refused = useQuery(
    trpc.refusedRequests.list.queryOptions(
      {
        limit: String(pageRows),
        offset: String(page * pageRows),
        ...(find && { request_id: find }),
        ...(model && { model }),
        ...(key && { api_key_id: key }),
        ...(error && { error_code: error }),
      },
      { placeholderData: keepPreviousData, refetchInterval: refreshMs },
    ),
  );
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const nameOfKey = useNameOfKey();
  const rows = refused.data?.data;
  const shown = rows?.find(({ id }) => id === open);
  const count = refused.data?.total_count ?? 0;

  const fields = [
    { name: "find", label: "Search", placeholder: "Request ID", search: true },
    modelField,
    keyField(keys.data?.data),
    errorField,
  ] as const;

  return (
    <Screen path="/logs/refused">
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Refused requests"
        columns={refusedColumns(nowMs, nameOfKey)}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={refused.error}
        onRetry={() => void refused.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No refused requests in the last 30 days"
            text="Requests without an eligible provider, without credit, over a limit or with an invalid field appear here within seconds, with the excluded providers and the reason for each."
          >
            <Button component="a" href="/routing-rules" size="xs" variant="default">
              Routing rules
            </Button>
          </EmptyState>
        }
        footer={
          count > pageRows && (
            <Pages
              page={page}
              pageRows={pageRows}
              count={count}
              onPage={(chosen) => void setPage(chosen || null)}
            />
          )
        }
      />
      {shown && (
        <RefusedSheet
          refused={shown}
          keyName={nameOfKey(shown.api_key_id)}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}
