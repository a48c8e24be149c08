"use client";

import { MultiSelect, NativeSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";

interface ModelsFieldProps {
  /** Null = every model, empty = none. */
  readonly value: readonly string[] | null;
  readonly onChange: (value: readonly string[] | null) => void;
  readonly error?: string | undefined;
}

/** As many as a list shows before something is typed. */
const shownMax = 50;

/** Which models a key may ask. Names the catalogue does not know stay until they are removed. */
export function ModelsField({ value, onChange, error }: ModelsFieldProps) {
  const models = useQuery(useTRPC().catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const names = (models.data?.data ?? []).map(({ id }) => id);
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Models"
        value={value === null ? "every" : "some"}
        onChange={(event) => onChange(event.currentTarget.value === "every" ? null : [])}
        data={[
          { value: "every", label: "All models" },
          { value: "some", label: "Selected models" },
        ]}
      />
      {value && (
        <MultiSelect
          aria-label="Allowed models"
          placeholder={value.length === 0 ? "No models selected" : ""}
          searchable
          hidePickedOptions
          limit={shownMax}
          value={[...value]}
          onChange={onChange}
          data={[...new Set([...names, ...value])]}
          nothingFoundMessage="No matching model"
          error={error}
        />
      )}
    </Stack>
  );
}
