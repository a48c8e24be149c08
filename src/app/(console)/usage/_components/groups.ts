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
  tag_value: { label: "Tag", none: "No value" },
};
/** The groups that every organisation has. Values of tags are a group only beside a tag. */
export const groupNames = (Object.keys(groups) as Group[]).filter((group) => group !== "tag_value");

/** What a report is grouped by. */
export interface Grouping {
  readonly group: Group;
  /** Of values of a tag, its name. */
  readonly tag?: string;
  readonly label: string;
}

const tagPrefix = "tag:";

/** How the URL names the values of a tag as a group. */
export const tagGroup = (tag: string): string => `${tagPrefix}${tag}`;

/** `metadata.team` as people read it: `team`. */
export const tagLabel = (tag: string): string =>
  tag === "end_user" ? "End user" : tag === "app" ? "App" : tag.replace(/^metadata\./, "");

/** The grouping that the URL names; by model if it names none. */
export function groupingOf(by: string): Grouping {
  if (by.startsWith(tagPrefix)) {
    const tag = by.slice(tagPrefix.length);
    return { group: "tag_value", tag, label: tagLabel(tag) };
  }
  const group = groupNames.find((known) => known === by) ?? "model";
  return { group, label: groups[group].label };
}

export const groupValue = (row: UsageReportRow, group: Group): string | null => row[group] ?? null;

/** The name of a value: keys and workspaces are reported by their ids. */
export type NameOf = (group: Group, value: string | null) => string;

export function namesFrom(keys: readonly { id: string; name: string }[], workspaces: typeof keys): NameOf {
  const known = new Map([...keys, ...workspaces].map(({ id, name }) => [id, name]));
  return (group, value) => {
    if (value === null) return groups[group].none;
    if (group !== "api_key_id" && group !== "workspace_id") return value;
    return known.get(value) ?? `${groups[group].label.toLowerCase()} …${value.slice(-8)}`;
  };
}
