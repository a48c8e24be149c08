import type { FilterField } from "#app/_lib/use-filters.ts";
import type { ApiKey } from "#contract/key.ts";
import type { KeyState } from "./key-state.ts";

export const keyFilterNames = ["find", "state", "workspace"] as const;
type KeyFilterName = (typeof keyFilterNames)[number];

/** The filters of the list of keys. Workspaces are offered where there are some. */
export function keyFilterFields(
  workspaces: readonly { readonly id: string; readonly name: string }[] = [],
): (FilterField & { readonly name: KeyFilterName })[] {
  const workspace = {
    name: "workspace",
    label: "Workspace",
    options: workspaces.map(({ id, name }) => ({ value: id, label: name })),
  } as const;
  return [
    { name: "find", label: "Search", placeholder: "Name, key prefix or app", search: true },
    {
      name: "state",
      label: "Status",
      options: [
        { value: "usable", label: "Active" },
        { value: "unusable", label: "Inactive" },
      ],
    },
    ...(workspaces.length > 0 ? [workspace] : []),
  ];
}

/** Whether a key in this state passes the filters. */
export function passesFilters(
  { name, label, app_host: host, workspace_id: workspaceId }: ApiKey,
  { tone }: KeyState,
  { find, state, workspace }: Readonly<Record<KeyFilterName, string | null>>,
): boolean {
  const text = [name, label, host ?? ""].join(" ").toLowerCase();
  return (
    text.includes(find?.toLowerCase() ?? "") &&
    (workspace === null || workspaceId === workspace) &&
    (state === null || (tone === "good") === (state === "usable"))
  );
}
