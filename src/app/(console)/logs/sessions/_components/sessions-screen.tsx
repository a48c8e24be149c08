"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useNavigate } from "#app/_lib/navigate.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { CursorPages } from "#app/_ui/cursor-pages.tsx";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { cursorText, parseCursor } from "#app/(console)/logs/_components/cursor.ts";
import { LogFilterBar } from "#app/(console)/logs/_components/log-filter-bar.tsx";
import { filterNames, generationFilter } from "#app/(console)/logs/_components/log-filters.ts";
import { NoMatchYet } from "#app/(console)/logs/_components/no-logs.tsx";
import { useNameOfKey } from "#app/(console)/logs/_components/use-name-of-key.ts";
import type { SessionLine } from "#contract/session-list.ts";
import { sessionColumns } from "./session-columns.tsx";

const typedMs = 250;
const refreshMs = 30_000;

/** What the filters suggest, from the sessions that are shown. */
const suggestedBy = (rows: readonly SessionLine[]) =>
  rows.flatMap(({ models, app_title, user_reference }) =>
    models.map((model) => ({ model, app_title, user_reference, error_code: null })),
  );

export function SessionsScreen() {
  const navigate = useNavigate();
  const filters = useFilters(filterNames, ["after"]);
  const [after, setAfter] = useQueryState("after", parseAsString.withOptions({ history: "push" }));
  const nowMs = useNow(refreshMs);
  const [debounced] = useDebouncedValue(JSON.stringify(filters.values), typedMs);
  const filter = generationFilter({ ...JSON.parse(debounced), find: null }, nowMs);
  const sessions = useQuery(
    useTRPC().generations.sessions.queryOptions(
      { ...filter, after: parseCursor(after) },
      { placeholderData: keepPreviousData },
    ),
  );
  const nameOfKey = useNameOfKey();
  const rows = sessions.data?.data;
  const next = sessions.data?.next;
  const onOlder = next ? () => void setAfter(cursorText(next)) : null;
  return (
    <Screen path="/logs/sessions">
      <LogFilterBar filters={filters} rows={suggestedBy(rows ?? [])} hasSearch={false} />
      <DataTable
        label="Sessions"
        columns={sessionColumns({ nowMs, nameOfKey })}
        rows={rows}
        rowId={({ session_id }) => session_id}
        onOpen={({ session_id }) => navigate(`/logs?find=${encodeURIComponent(session_id)}`)}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        onClearFilters={!onOlder && (filters.active > 0 || after !== null) ? filters.clear : undefined}
        skeletonRows={12}
        empty={
          onOlder ? (
            <NoMatchYet onOlder={onOlder} onClearFilters={filters.clear} />
          ) : (
            <EmptyState
              title="No sessions in the last 24 hours"
              text="Requests with the same session are grouped here. Send session_id in the body, or the header x-session-id."
            />
          )
        }
        footer={
          <CursorPages onNewest={after === null ? null : () => void setAfter(null)} onOlder={onOlder} />
        }
      />
    </Screen>
  );
}
