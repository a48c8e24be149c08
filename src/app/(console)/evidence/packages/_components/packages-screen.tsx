"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { formatBytes, formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { useOwnerNames } from "#app/_lib/use-owner-names.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { EvidencePackage } from "#contract/evidence-package.ts";
import { filterFacts, isUnderWay, periodText, statusText, statusTones } from "./package-text.ts";

const PackageSheet = part(() => import("./package-sheet.tsx").then(({ PackageSheet }) => PackageSheet));

const pageRows = 25;
const underWayMs = 1_000;
const nowEveryMs = 60_000;

const columnsOf = (nowMs: number, nameOf: (id: string) => string): readonly Column<EvidencePackage>[] => [
  {
    id: "period",
    header: "Period",
    cell: ({ filter }) => (
      <TitleCell
        title={periodText(filter)}
        detail={filterFacts(filter, nameOf)
          .map(([label, value]) => `${label}: ${value}`)
          .join(", ")}
      />
    ),
  },
  {
    id: "status",
    header: "Status",
    cell: (row) => <Status tone={statusTones[row.status]}>{statusText(row)}</Status>,
  },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    visibleFrom: "sm",
    cell: ({ requests }) => formatCount(requests),
  },
  {
    id: "size",
    header: "Size",
    align: "right",
    visibleFrom: "sm",
    cell: ({ size_bytes }) => (size_bytes === null ? "–" : formatBytes(size_bytes)),
  },
  {
    id: "time",
    header: "Asked for",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
];

export function PackagesScreen() {
  const trpc = useTRPC();
  const nowMs = useNow(nowEveryMs);
  const nameOf = useOwnerNames();
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [open, setOpen] = useQueryState("open", parseAsString);
  const packages = useQuery(
    trpc.evidencePackages.list.queryOptions(
      { limit: String(pageRows), offset: String(page * pageRows) },
      {
        placeholderData: keepPreviousData,
        // While one is in progress its figures change.
        refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? underWayMs : false),
      },
    ),
  );
  const shown = packages.data?.data.find(({ id }) => id === open);
  const count = packages.data?.total_count ?? 0;
  return (
    <Screen path="/evidence/packages">
      <DataTable
        label="Evidence packages"
        columns={columnsOf(nowMs, nameOf)}
        rows={packages.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={packages.error}
        onRetry={() => void packages.refetch()}
        empty={
          <EmptyState
            title="No evidence packages"
            text="A package has every request of a period with its proofs, for auditors. Choose period and filters under Data flows, then “Build evidence package”."
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
      {shown && (
        <PackageSheet
          shown={shown}
          nameOf={nameOf}
          onDeleted={() => {
            void setOpen(null);
            void packages.refetch();
          }}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}
