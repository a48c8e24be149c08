import { ActionIcon, NativeSelect, Text, TextInput, VisuallyHidden } from "@mantine/core";
import type { FilterField } from "../_lib/use-filters.ts";
import classes from "./filter-bar.module.css";
import { CloseIcon, SearchIcon } from "./icons.tsx";

const widthPx = 132;
/** The room that the name of a filter takes in its field: letters of 12 px are about 7 px wide. */
const nameWidthPx = (name: string) => name.length * 7 + 20;

interface FilterControlProps {
  readonly field: FilterField;
  /** Of the list of suggestions; unique on the page. */
  readonly listId: string;
  /** Empty where it does not narrow. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onRemove: () => void;
}

/** One filter: a list of choices, or a text with suggestions. Once it narrows, it is highlighted, shows its name and can be removed. */
export function FilterControl({ field, listId, value, onChange, onRemove }: FilterControlProps) {
  const { label, options, placeholder, search, suggestions = [] } = field;
  const isNamed = value !== "" && !search;
  // Half of a phone is too narrow for a long name or a text beside its name.
  const isLong = isNamed && (!options || label.length > 10);
  const shared = {
    size: "xs",
    w: search
      ? { base: "100%", sm: 244 }
      : { base: isLong ? "100%" : "calc(50% - 6px)", sm: isNamed ? widthPx + nameWidthPx(label) : widthPx },
    "aria-label": label,
    value,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
    ...(isNamed && {
      leftSectionWidth: nameWidthPx(label),
      leftSection: (
        <Text size="xs" fw={600} c="var(--mantine-color-text)" aria-hidden>
          {label}
        </Text>
      ),
    }),
    ...(value !== "" && {
      classNames: { input: classes.active ?? "" },
      rightSectionPointerEvents: "all" as const,
      rightSection: (
        <ActionIcon variant="transparent" size="xs" title="Remove this filter" onClick={onRemove}>
          <VisuallyHidden>Remove filter {label}</VisuallyHidden>
          <CloseIcon width={12} height={12} />
        </ActionIcon>
      ),
    }),
  };
  if (options)
    return (
      <NativeSelect
        {...shared}
        data={[{ value: "", label: placeholder ?? `Any ${label.toLowerCase()}` }, ...options]}
      />
    );
  return (
    <>
      <TextInput
        {...shared}
        placeholder={placeholder ?? label}
        {...(search && { leftSection: <SearchIcon width={14} height={14} /> })}
        data-search={search}
        list={suggestions.length > 0 ? listId : undefined}
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}
