import { Button, Fieldset, Group } from "@mantine/core";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Draft } from "./draft.ts";

/** Rules that many organisations begin with. */
const startingPoints: readonly { readonly name: string; readonly provider: ProviderPreferences }[] = [
  { name: "EU only", provider: { data_residency: "eu" } },
  { name: "EU-owned, no retention", provider: { data_residency: "eu", eu_owned: true, zdr: true } },
  { name: "No training on prompts", provider: { data_collection: "deny" } },
  { name: "Cheapest first", provider: { sort: "price" } },
  { name: "Fastest first", provider: { sort: "throughput" } },
];

interface StartingPointsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** Fills a new rule in. A name that somebody wrote stays. */
export function StartingPoints({ draft, onChange }: StartingPointsProps) {
  const isOurs = draft.name === "" || startingPoints.some(({ name }) => name === draft.name);
  return (
    <Fieldset legend="Start from" variant="unstyled">
      <Group gap={6}>
        {startingPoints.map(({ name, provider }) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            onClick={() => onChange({ ...draft, name: isOurs ? name : draft.name, provider })}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Fieldset>
  );
}
