import { MultiSelect } from "@mantine/core";

interface LimitToFieldProps {
  readonly label: string;
  /** What an empty selection means. */
  readonly all: string;
  readonly nothingFound: string;
  readonly choices: readonly (string | { readonly value: string; readonly label: string })[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

/** Some of many; an empty selection means all of them. */
export function LimitToField({ label, all, nothingFound, choices, value, onChange }: LimitToFieldProps) {
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? all : ""}
      searchable
      clearable
      value={[...value]}
      onChange={onChange}
      data={[...choices]}
      nothingFoundMessage={nothingFound}
    />
  );
}
