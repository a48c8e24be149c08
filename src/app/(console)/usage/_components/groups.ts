import type { UsageReportRow, UsageSeriesQuery } from "#contract/usage-report.ts";

export type Group = UsageSeriesQuery["group"];

interface GroupLabels {
  readonly label: string;
  /** The name of rows without a value. */
  readonly none: string;
  /** The filter of the logs that shows what a row counts. */
  readonly filter?: "model" | "provider" | "key";
}

/** What usage can be grouped by. */
export const groups: Record<Group, GroupLabels> = {
  model: { label: "Model", none: "No model", filter: "model" },
  provider: { label: "Provider", none: "No provider", filter: "provider" },
  api_key_id: { label: "API key", none: "No key", filter: "key" },
  workspace_id: { label: "Workspace", none: "No workspace" },
};
export const groupNames = Object.keys(groups) as Group[];

export const groupValue = (row: UsageReportRow, group: Group): string | null => row[group] ?? null;

/** The name of a value: keys and workspaces are reported by their ids. */
export type NameOf = (group: Group, value: string | null) => string;

export function namesFrom(keys: readonly { id: string; name: string }[], workspaces: typeof keys): NameOf {
  const known = new Map([...keys, ...workspaces].map(({ id, name }) => [id, name]));
  return (group, value) => {
    if (value === null) return groups[group].none;
    if (group === "model" || group === "provider") return value;
    return known.get(value) ?? `${groups[group].label.toLowerCase()} …${value.slice(-8)}`;
  };
}
