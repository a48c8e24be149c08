"use client";

import { Skeleton, Switch } from "@mantine/core";
import { parseAsString, useQueryState } from "nuqs";
import { CursorPages } from "#app/_ui/cursor-pages.tsx";
import { DataTable } from "#app/_ui/data-table.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { generationIdOf } from "#contract/generation-id.ts";
import { CompareNotice } from "./compare-notice.tsx";
import { logColumns } from "./log-columns.tsx";
import { LogFilterBar } from "./log-filter-bar.tsx";
import { NoLogs, NoMatchYet } from "./no-logs.tsx";
import { SortedNote } from "./sorted-note.tsx";
import { useLogColumns } from "./use-log-columns.ts";
import { useLogs } from "./use-logs.ts";
import { useNameOfKey } from "./use-name-of-key.ts";

const VolumePanel = part(
  () => import("./volume-panel.tsx").then(({ VolumePanel }) => VolumePanel),
  () => <Skeleton h={200} radius="md" />,
);
/** Its menus are needed only when they are opened; the room for them is there at once. */
const LogActions = part(
  () => import("./log-actions.tsx").then((loaded) => loaded.LogActions),
  () => <Skeleton h={30} w={246} radius="md" />,
);
const GenerationSheet = part(() =>
  import("./generation-sheet.tsx").then(({ GenerationSheet }) => GenerationSheet),
);

const CompareSheet = part(() => import("./compare-sheet.tsx").then(({ CompareSheet }) => CompareSheet));

export function LogsScreen() {
  const { filters, filter, page, nowMs, live, setLive, isNewestPage, goToPage, ...sorting } = useLogs();
  const nameOfKey = useNameOfKey();
  const { columns, menu } = useLogColumns(logColumns({ nowMs, nameOfKey }));
  const [linkedId, setOpen] = useQueryState("open", parseAsString);
  const [comparedId, setCompared] = useQueryState("compare", parseAsString);
  const open = linkedId && (generationIdOf(linkedId) ?? linkedId);
  const rows = page.data?.data;
  const next = page.data?.next;
  const steps = {
    ids: rows?.map(({ id }) => id) ?? [],
    onOpen: (id: string) => void setOpen(id),
    onClose: () => void setOpen(null),
  };
  const searchOlder = rows?.length === 0 && next ? () => goToPage(next) : null;
  return (
    <Screen
      path="/logs"
      actions={
        <>
          <Switch
            label="Live"
            checked={live}
            disabled={!isNewestPage}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <LogActions menu={menu} saving={{ filter, nameOfKey }} />
        </>
      }
    >
      <LogFilterBar filters={filters} rows={rows ?? []} />
      <VolumePanel filter={filter} nowMs={nowMs} live={live} />
      {comparedId && <CompareNotice id={comparedId} onCancel={() => void setCompared(null)} />}
      <DataTable
        label="Requests"
        columns={columns}
        sort={sorting.sort}
        onSort={sorting.setSort}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={page.error}
        onRetry={() => void page.refetch()}
        onClearFilters={!searchOlder && (filters.active > 0 || !isNewestPage) ? filters.clear : undefined}
        skeletonRows={12}
        empty={
          searchOlder ? (
            <NoMatchYet onOlder={searchOlder} onClearFilters={filters.clear} />
          ) : (
            <NoLogs onShowMonth={() => filters.set("range", "30d")} />
          )
        }
        footer={
          sorting.sortedBy ? (
            <SortedNote count={rows?.length ?? 0} from={page.data?.sorted_from ?? null} />
          ) : (
            <CursorPages
              onNewest={isNewestPage ? null : () => goToPage(null)}
              onOlder={next ? () => goToPage(next) : null}
            />
          )
        }
      />
      {open && comparedId && open !== comparedId && (
        <CompareSheet firstId={comparedId} secondId={open} {...steps} />
      )}
      {open && (!comparedId || open === comparedId) && (
        <GenerationSheet
          id={open}
          {...steps}
          onCompare={() => {
            void setOpen(null);
            void setCompared(open);
          }}
        />
      )}
    </Screen>
  );
}
