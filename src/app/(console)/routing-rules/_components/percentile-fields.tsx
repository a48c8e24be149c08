import { Fieldset, SimpleGrid } from "@mantine/core";
import { NumberField } from "#app/_ui/number-field.tsx";
import type { ProviderPreferences } from "#contract/preferences.ts";

type Value = NonNullable<ProviderPreferences["preferred_max_latency"]>;
const percentiles = ["p50", "p75", "p90", "p99"] as const;

interface PercentileFieldsProps {
  readonly label: string;
  readonly value: Value | null;
  readonly onChange: (value: Value | null) => void;
}

/** A bound for each percentile; the median alone is a plain number. */
export function PercentileFields({ label, value, onChange }: PercentileFieldsProps) {
  const bounds = typeof value === "number" ? { p50: value } : (value ?? {});
  function set(percentile: (typeof percentiles)[number], given: string | number) {
    const next = Object.fromEntries(
      Object.entries({ ...bounds, [percentile]: Number(given) }).filter(([, bound]) => bound > 0),
    );
    const names = Object.keys(next);
    const only = names.length === 1 ? next.p50 : undefined;
    onChange(names.length === 0 ? null : (only ?? next));
  }
  return (
    <Fieldset legend={label} variant="unstyled">
      <SimpleGrid cols={4} spacing="xs">
        {percentiles.map((percentile) => (
          <NumberField
            key={percentile}
            size="xs"
            label={percentile}
            hideControls
            allowNegative={false}
            value={bounds[percentile] ?? ""}
            onChange={(given) => set(percentile, given)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
