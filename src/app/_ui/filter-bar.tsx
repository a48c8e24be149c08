"use client";

import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { Fragment, useId, useState } from "react";
import type { FilterField, Filters } from "../_lib/use-filters.ts";
import { SearchIcon } from "./icons.tsx";

interface FilterBarProps<Name extends string> {
  readonly fields: readonly (FilterField & { readonly name: Name })[];
  readonly filters: Filters<Name>;
  /** Accessible name, where there are several on a page. */
  readonly label?: string;
}

/** The filters of a list: a field for each, and one button that clears all of them. */
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
  return (
    <Group gap="xs" role="search" aria-label={landmark}>
      {fields.filter(isShown).map(({ name, label, options, placeholder, search, suggestions = [] }) =>
        options ? (
          <NativeSelect
            key={name}
            size="xs"
            w={{ base: "calc(50% - 6px)", sm: 132 }}
            aria-label={label}
            value={filters.values[name] ?? ""}
            onChange={(event) => filters.set(name, event.currentTarget.value)}
            data={[{ value: "", label: placeholder ?? `Any ${label.toLowerCase()}` }, ...options]}
          />
        ) : (
          <Fragment key={name}>
            <TextInput
              size="xs"
              w={{ base: search ? "100%" : "calc(50% - 6px)", sm: search ? 244 : 132 }}
              aria-label={label}
              placeholder={placeholder ?? label}
              leftSection={search && <SearchIcon width={14} height={14} />}
              data-search={search}
              list={suggestions.length > 0 ? `${id}-${name}` : undefined}
              value={filters.values[name] ?? ""}
              onChange={(event) => filters.set(name, event.currentTarget.value)}
            />
            {suggestions.length > 0 && (
              <datalist id={`${id}-${name}`}>
                {suggestions.map((value) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
            )}
          </Fragment>
        ),
      )}
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
