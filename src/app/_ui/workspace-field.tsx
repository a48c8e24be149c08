import { NativeSelect } from "@mantine/core";

interface WorkspaceFieldProps {
  readonly label?: string;
  readonly description?: string;
  /** The choice of no workspace. */
  readonly none?: string;
  readonly workspaces: readonly { readonly id: string; readonly name: string }[] | undefined;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** A workspace or none. Hidden in an organisation without workspaces. */
export function WorkspaceField(props: WorkspaceFieldProps) {
  const { label = "Workspace", description, none = "None", workspaces = [], value, onChange } = props;
  if (workspaces.length === 0) return null;
  return (
    <NativeSelect
      label={label}
      description={description}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      data={[{ value: "", label: none }, ...workspaces.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}
