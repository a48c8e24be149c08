import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { CatalogueUpdate } from "#contract/catalogue-update.ts";

const states: Record<CatalogueUpdate["state"], string> = {
  proposed: "Not applied",
  applied: "Replaced by a later one",
  undone: "Undone",
};

function StateCell({ update: { state, in_use, problem } }: { update: CatalogueUpdate }) {
  if (in_use) return <Status tone="good">In use</Status>;
  if (problem !== null)
    return (
      <Status tone="bad" title={problem}>
        Not used
      </Status>
    );
  return <Status tone={state === "proposed" ? "warning" : "neutral"}>{states[state]}</Status>;
}

export const columnsOf = (nowMs: number): readonly Column<CatalogueUpdate>[] => [
  {
    id: "source",
    header: "File",
    cell: ({ source, as_of }) => <TitleCell title={source} detail={`Of ${as_of}`} />,
  },
  { id: "state", header: "State", cell: (row) => <StateCell update={row} /> },
  {
    id: "created",
    header: "Compared",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "applied",
    header: "Applied",
    visibleFrom: "sm",
    cell: ({ applied_at }) => (applied_at === null ? "–" : <RelativeTime iso={applied_at} nowMs={nowMs} />),
  },
];
