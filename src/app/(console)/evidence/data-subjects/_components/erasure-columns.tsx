import { formatCount } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { Erasure } from "#contract/data-subjects.ts";
import { subjectLabels } from "./subject.ts";

const tones: Record<Erasure["status"], Tone> = { waiting: "neutral", running: "neutral", done: "good" };

export const statusText = ({ status, dry_run }: Erasure): string => {
  if (status !== "done") return status;
  return dry_run ? "counted" : "erased";
};

export const erasureColumns = (nowMs: number): readonly Column<Erasure>[] => [
  {
    id: "what",
    header: "Kind",
    cell: ({ dry_run, subject_type }) => (
      <TitleCell title={dry_run ? "Dry run" : "Erasure"} detail={subjectLabels[subject_type]} />
    ),
  },
  { id: "reference", header: "Reference", cell: ({ reference }) => reference ?? "–" },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    visibleFrom: "sm",
    cell: ({ counts }) => formatCount(counts.requests),
  },
  {
    id: "status",
    header: "Status",
    cell: (row) => <Status tone={tones[row.status]}>{statusText(row)}</Status>,
  },
  {
    id: "time",
    header: "Time",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
];
