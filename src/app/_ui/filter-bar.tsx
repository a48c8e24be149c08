"use client";

import { Button, Group, NativeSelect } from "@mantine/core";
import { useId, useRef, useState } from "react";
import type { FilterField, Filters } from "../_lib/use-filters.ts";
import classes from "./filter-bar.module.css";
import { FilterControl } from "./filter-control.tsx";

interface FilterBarProps<Name extends string> {
  readonly fields: readonly (FilterField & { readonly name: Name })[];
  readonly filters: Filters<Name>;
  /** Accessible name, where there are several on a page. */
  readonly label?: string;
}

/** The filters of a list: a field for each, each with a button that removes it, and one button that clears all of them. */
export function FilterBar<Name extends string>({
  fields,
  filters,
  label: landmark = "Filters",
}: FilterBarProps<Name>) {
  const id = useId();
  const [added, setAdded] = useState<readonly string[]>([]);
  const isShown = ({ name, isExtra }: FilterField & { readonly name: Name }) =>
    !isExtra || added.includes(name) || filters.values[name] !== null;
  const hidden = fields.filter((field) => !isShown(field));
  const bar = useRef<HTMLDivElement>(null);
  // The button that was used is gone afterwards, and maybe its field too: the next Tab goes to the first field.
  const remove = (name: Name) => {
    setAdded(added.filter((one) => one !== name));
    filters.set(name, null);
    bar.current?.focus();
  };
  return (
    <Group ref={bar} gap="xs" role="search" aria-label={landmark} tabIndex={-1} className={classes.bar}>
      {fields.filter(isShown).map((field) => (
        <FilterControl
          key={field.name}
          field={field}
          listId={`${id}-${field.name}`}
          value={filters.values[field.name] ?? ""}
          onChange={(value) => filters.set(field.name, value)}
          onRemove={() => remove(field.name)}
        />
      ))}
      {hidden.length > 0 && (
        <NativeSelect
          size="xs"
          w={{ base: "calc(50% - 6px)", sm: 112 }}
          aria-label="Add a filter"
          value=""
          onChange={(event) => setAdded([...added, event.currentTarget.value])}
          data={[
            { value: "", label: "More filters" },
            ...hidden.map(({ name, label }) => ({ value: name, label })),
          ]}
        />
      )}
      {filters.active > 0 && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            setAdded([]);
            filters.clear();
          }}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}
