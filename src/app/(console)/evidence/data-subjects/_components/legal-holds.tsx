"use client";

import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { ConfirmByName } from "#app/_ui/lazy.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { LegalHold } from "#contract/legal-hold.ts";
import { subjectLabels } from "./subject.ts";

const LegalHoldDialog = part(() =>
  import("./legal-hold-dialog.tsx").then(({ LegalHoldDialog }) => LegalHoldDialog),
);

/** What a row says of whose data it holds; people and keys by their names. */
function subjectText({ subject_type, subject }: LegalHold, nameOf: (id: string) => string): string {
  if (subject_type === null) return "All data of the organisation";
  if (subject === null) return subjectLabels[subject_type];
  return `${subjectLabels[subject_type]} ${subject_type === "end_user" ? subject : nameOf(subject)}`;
}

interface ColumnsOf {
  readonly nowMs: number;
  readonly nameOf: (id: string) => string;
  readonly release: (hold: LegalHold) => void;
}

const columnsOf = ({ nowMs, nameOf, release }: ColumnsOf): readonly Column<LegalHold>[] => [
  {
    id: "name",
    header: "Name",
    cell: (hold) => <TitleCell title={hold.name} detail={subjectText(hold, nameOf)} />,
  },
  { id: "reference", header: "Reference", visibleFrom: "sm", cell: ({ reference }) => reference ?? "–" },
  {
    id: "state",
    header: "Status",
    cell: ({ released_at }) =>
      released_at === null ? (
        <Status tone="warning">in force</Status>
      ) : (
        <Status tone="neutral">released</Status>
      ),
  },
  {
    id: "since",
    header: "Since",
    visibleFrom: "sm",
    cell: ({ created_at, released_at }) => <RelativeTime iso={released_at ?? created_at} nowMs={nowMs} />,
  },
  {
    id: "actions",
    header: "",
    cell: (hold) => (
      <RowActions
        actions={[
          hold.released_at === null && {
            verb: "Release",
            label: `Release ${hold.name}`,
            onClick: () => release(hold),
          },
        ]}
      />
    ),
  },
];

interface LegalHoldsProps {
  readonly nowMs: number;
  /** The name of a person or key. */
  readonly nameOf: (id: string) => string;
}

/** What may not be deleted, and until when. */
export function LegalHolds({ nowMs, nameOf }: LegalHoldsProps) {
  const trpc = useTRPC();
  const { legalHolds } = useTRPCClient();
  const [isNew, setNew] = useState(false);
  const [releasing, setReleasing] = useState<LegalHold | null>(null);
  const holds = useQuery(trpc.legalHolds.list.queryOptions({}, { placeholderData: keepPreviousData }));
  return (
    <Panel
      title="Legal holds"
      aside={
        <Button size="xs" variant="default" onClick={() => setNew(true)}>
          New legal hold
        </Button>
      }
    >
      <DataTable
        label="Legal holds"
        columns={columnsOf({ nowMs, nameOf, release: setReleasing })}
        rows={holds.data?.data}
        rowId={({ id }) => id}
        error={holds.error}
        onRetry={() => void holds.refetch()}
        empty={
          <EmptyState
            title="No legal holds"
            text="A legal hold protects data that a legal claim needs: it is neither erased nor deleted when it is too old."
          />
        }
      />
      {isNew && <LegalHoldDialog onSet={() => void holds.refetch()} onClose={() => setNew(false)} />}
      {releasing && (
        <ConfirmByName
          verb="Release"
          name={releasing.name}
          text="Erasures of this data are possible again. What is older than the retention, or expired, is deleted within a day."
          onConfirm={() => legalHolds.release.mutate({ id: releasing.id })}
          onDone={() => {
            setReleasing(null);
            void holds.refetch();
            return toastDone("The legal hold is released.");
          }}
          onClose={() => setReleasing(null)}
        />
      )}
    </Panel>
  );
}
