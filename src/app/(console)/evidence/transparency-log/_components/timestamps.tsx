"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { download } from "#app/_lib/download.ts";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import type { LogTimestamp } from "#contract/transparency-log.ts";

const pageRows = 20;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Saves both files that `openssl ts -verify` needs, besides the certificate of the authority. */
function save({ checkpoint, response, size }: LogTimestamp): void {
  download(`checkpoint-${size}.txt`, "text/plain", checkpoint);
  const bytes = Uint8Array.from(atob(response), (character) => character.charCodeAt(0));
  download(`checkpoint-${size}.tsr`, "application/timestamp-reply", bytes);
}

const columns: readonly Column<LogTimestamp>[] = [
  { id: "time", header: "Stamped", cell: ({ stamped_at }) => formatAbsolute(stamped_at) },
  { id: "authority", header: "Authority", visibleFrom: "sm", cell: ({ authority }) => hostOf(authority) },
  { id: "size", header: "Entries", align: "right", cell: ({ size }) => formatCount(size) },
  {
    id: "actions",
    header: "Files",
    align: "right",
    cell: (row) => (
      <RowActions
        actions={[
          {
            verb: "Download",
            label: `Download the timestamp of ${formatAbsolute(row.stamped_at)}`,
            onClick: () => save(row),
          },
        ]}
      />
    ),
  },
];

/** Checkpoints that time-stamping authorities (RFC 3161) stamped, newest first. */
export function Timestamps() {
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const timestamps = useQuery(
    useTRPC().transparencyLog.timestamps.queryOptions(
      { limit: String(pageRows), offset: String(page * pageRows) },
      { placeholderData: keepPreviousData },
    ),
  );
  const count = timestamps.data?.total_count ?? 0;
  return (
    <DataTable
      label="Timestamps"
      columns={columns}
      rows={timestamps.data?.data}
      rowId={({ authority, stamped_at }) => `${authority} ${stamped_at}`}
      error={timestamps.error}
      onRetry={() => void timestamps.refetch()}
      empty={
        <EmptyState
          title="No timestamps"
          text="A time-stamping authority (RFC 3161) signs that a checkpoint existed at a time. The operator names authorities in TRANSPARENCY_TIMESTAMPS; each log is stamped once a day."
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
  );
}
