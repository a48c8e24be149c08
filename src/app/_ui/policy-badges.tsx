import { Badge, Group } from "@mantine/core";
import { countryName } from "#contract/places.ts";

interface Fact<T> {
  readonly value: T | null;
  readonly expired: boolean;
}

export interface PolicyFacts {
  readonly eu_owned: Fact<boolean>;
  readonly training: Fact<boolean>;
  readonly retention_days: Fact<number>;
  readonly countries: readonly string[];
}

/** An expired fact counts as unknown. */
export const known = <T,>({ value, expired }: Fact<T>): T | null => (expired ? null : value);

const plain = {
  ...{ variant: "default", tt: "none", fw: 500, size: "md" },
  // In a narrow column the words wrap; they are never cut.
  styles: { root: { height: "auto", minHeight: 20 }, label: { whiteSpace: "normal", overflow: "visible" } },
} as const;

export function retentionText(days: number | null): string {
  if (days === null) return "retention unknown";
  return days === 0 ? "zero data retention" : `${days}-day retention`;
}

export function trainingText(training: boolean | null): string {
  if (training === null) return "training unknown";
  return training ? "trains on prompts" : "no training";
}

/** The data policy of a provider in words, not only in colours. */
export function PolicyBadges({ facts }: { facts: PolicyFacts }) {
  const training = known(facts.training);
  return (
    <Group gap={4} component="span" display="inline-flex">
      {known(facts.eu_owned) && (
        <Badge {...plain} component="span">
          EU-owned
        </Badge>
      )}
      {facts.countries.length > 0 && (
        <Badge {...plain} component="span" title={facts.countries.map(countryName).join(", ")}>
          {facts.countries.slice(0, 4).join(" ")}
          {facts.countries.length > 4 && " …"}
        </Badge>
      )}
      <Badge {...plain} component="span">
        {retentionText(known(facts.retention_days))}
      </Badge>
      <Badge {...plain} component="span">
        {trainingText(training)}
      </Badge>
    </Group>
  );
}
