"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { useOwnerNames } from "#app/_lib/use-owner-names.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { erasureColumns } from "./erasure-columns.tsx";
import { LegalHolds } from "./legal-holds.tsx";
import { SubjectPanel } from "./subject-panel.tsx";

const ErasureSheet = part(() => import("./erasure-sheet.tsx").then(({ ErasureSheet }) => ErasureSheet));

const pageRows = 25;
const runningMs = 1_000;
const nowEveryMs = 60_000;

export function DataSubjectsScreen() {
  const trpc = useTRPC();
  const nowMs = useNow(nowEveryMs);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [open, setOpen] = useQueryState("open", parseAsString);
  const erasures = useQuery(
    trpc.erasures.list.queryOptions(
      { limit: String(pageRows), offset: String(page * pageRows) },
      {
        placeholderData: keepPreviousData,
        // While one is in progress its figures change.
        refetchInterval: ({ state }) =>
          state.data?.data.some(({ status }) => status !== "done") ? runningMs : false,
      },
    ),
  );
  const nameOf = useOwnerNames();
  const rows = erasures.data?.data;
  const shown = rows?.find(({ id }) => id === open);
  const count = erasures.data?.total_count ?? 0;
  return (
    <Screen path="/evidence/data-subjects">
      <SubjectPanel
        onStarted={(id) => {
          void erasures.refetch();
          void setPage(null);
          void setOpen(id);
        }}
      />
      <DataTable
        label="Erasures and dry runs"
        columns={erasureColumns(nowMs)}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={erasures.error}
        onRetry={() => void erasures.refetch()}
        empty={
          <EmptyState
            title="No erasures yet"
            text="Erasures and dry runs appear here. Whose data it was is not stored: with a reference you find them again."
          />
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
      <LegalHolds nowMs={nowMs} nameOf={nameOf} />
      {shown && (
        <ErasureSheet erasure={shown} by={nameOf(shown.created_by)} onClose={() => void setOpen(null)} />
      )}
    </Screen>
  );
}
