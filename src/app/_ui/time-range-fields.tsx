import { Group, TextInput } from "@mantine/core";
import type { Filters } from "../_lib/use-filters.ts";

const times = [
  ["from", "From"],
  ["to", "To"],
] as const;

/** The two times of a custom range, in the browser's time zone. */
export function TimeRangeFields({ filters }: { filters: Filters<"from" | "to"> }) {
  return (
    <Group gap="xs">
      {times.map(([name, label]) => (
        <TextInput
          key={name}
          type="datetime-local"
          size="xs"
          label={label}
          value={filters.values[name] ?? ""}
          onChange={(event) => filters.set(name, event.currentTarget.value)}
        />
      ))}
    </Group>
  );
}
