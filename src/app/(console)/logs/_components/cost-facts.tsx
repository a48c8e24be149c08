import { Stack, Text } from "@mantine/core";
import { formatCount, formatEur, formatUsd } from "#app/_lib/format.ts";
import { Facts } from "#app/_ui/facts.tsx";
import type { GenerationDetail } from "#contract/generation.ts";

const nothing = (decimal: string): boolean => /^0(\.0*)?$/.test(decimal);
const labelOf = (name: string): string =>
  name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

/** Where the figures come from. */
function countedBy(estimated: boolean, implausible: boolean): string {
  if (implausible && estimated) return "Portolan (the provider reported no valid counts)";
  if (implausible) return "Portolan (the provider reported more than the request can use)";
  return estimated ? "Portolan (the provider reported no usage)" : "The provider";
}

/** Usage and cost, to the last digit. */
export function CostFacts({ generation: { usage, cost } }: { generation: GenerationDetail }) {
  const { estimated, implausible, ...counts } = usage;
  const part = cost.details_currency === "EUR" ? formatEur : formatUsd;
  return (
    <Stack gap="lg">
      <section aria-label="Usage">
        <Text fw={600} mb="xs">
          Usage
        </Text>
        <Facts
          label="Usage"
          rows={[
            ...Object.entries(counts)
              .filter(([name, count]) => count > 0 || /^(prompt|completion)/.test(name))
              .map(([name, count]) => [labelOf(name), formatCount(count)] as const),
            ["Counted by", countedBy(estimated, implausible)],
          ]}
        />
      </section>
      <section aria-label="Cost">
        <Text fw={600} mb="xs">
          Cost
        </Text>
        <Facts
          label="Cost"
          rows={[
            ["Charged", formatEur(cost.eur)],
            ["Charged in USD", formatUsd(cost.usd)],
            ["Provider cost", formatUsd(cost.upstream_usd)],
            ...Object.entries(cost.details)
              .filter(([, amount]) => !nothing(amount))
              .map(([name, amount]) => [`· ${labelOf(name)}`, part(amount)] as const),
            ["Exchange rate", `${cost.usd_per_eur} USD per EUR, ${cost.rate_date}`],
            ["Price version", cost.price_version],
            ["Paid with", cost.is_byok ? "Your own provider account" : "Credits"],
          ]}
        />
      </section>
    </Stack>
  );
}
