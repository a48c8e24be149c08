import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { Preset } from "#contract/preset.ts";

const modelText = ({ models }: Preset): string => {
  if (!models) return "Of the request";
  return models.length > 2
    ? `${models.slice(0, 2).join(", ")} and ${models.length - 2} more`
    : models.join(", ");
};

export const presetColumns = (
  nowMs: number,
  workspaceName: (id: string) => string | undefined,
): readonly Column<Preset>[] => [
  {
    id: "name",
    header: "Preset",
    cell: ({ name, description }) => <TitleCell title={name} detail={description} />,
  },
  { id: "models", header: "Models", visibleFrom: "sm", cell: modelText },
  {
    id: "workspace",
    header: "Workspace",
    visibleFrom: "md",
    cell: ({ workspace_id: id }) => (id === null ? "All" : (workspaceName(id) ?? "One workspace")),
  },
  { id: "version", header: "Version", align: "right", cell: ({ version }) => version },
  {
    id: "changed",
    header: "Changed",
    visibleFrom: "sm",
    cell: ({ updated_at: at }) => <RelativeTime iso={at} nowMs={nowMs} />,
  },
];
