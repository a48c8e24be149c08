import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { formatCount, formatEur, formatUsd } from "#app/_lib/format.ts";
import { FactValue } from "#app/_ui/fact-value.tsx";
import { HealthStatus } from "#app/_ui/health-status.tsx";
import { retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import { Sources } from "#app/_ui/sources.tsx";
import { UsableStatus } from "#app/_ui/usable-status.tsx";
import type { CatalogueEndpoint, EndpointPrice } from "#contract/catalogue-view.ts";
import { placeText } from "#contract/places.ts";

interface ComparedRow {
  readonly label: string;
  readonly cell: (endpoint: CatalogueEndpoint) => ReactNode;
}

type Amount = keyof EndpointPrice["eur"];

function Price({ price, amount }: { price: EndpointPrice | null; amount: Amount }) {
  const [eur, usd] = [price?.eur[amount], price?.usd[amount]];
  if (eur == null || usd == null) return "–";
  return (
    <>
      <Text size="sm">{formatEur(eur)}</Text>
      <Text size="xs" c="dimmed">
        {formatUsd(usd)}
      </Text>
    </>
  );
}

const priced = (label: string, amount: Amount): ComparedRow => ({
  label,
  cell: ({ price }) => <Price price={price} amount={amount} />,
});

/** The comparison of endpoints, row by row. */
export const comparedRows: readonly ComparedRow[] = [
  { label: "Availability", cell: ({ unusable }) => <UsableStatus unusable={unusable} /> },
  { label: "Health", cell: ({ health }) => <HealthStatus health={health} /> },
  {
    label: "Runs in",
    cell: ({ countries, region_groups }) => placeText(countries, region_groups),
  },
  {
    label: "EU-owned",
    cell: ({ eu_owned }) => <FactValue fact={eu_owned} show={(value) => (value ? "Yes" : "No")} />,
  },
  { label: "Training", cell: ({ training }) => <FactValue fact={training} show={trainingText} /> },
  {
    label: "Retention",
    cell: ({ retention_days }) => <FactValue fact={retention_days} show={retentionText} />,
  },
  priced("Prompt", "prompt"),
  priced("Completion", "completion"),
  priced("Cached prompt", "cache_read"),
  priced("Per request", "request"),
  priced("Per 1,000 searches", "searches"),
  {
    label: "Price source",
    cell: ({ price }) => (price ? <Sources sources={price.sources} asOf={price.as_of} /> : "No price"),
  },
  {
    label: "Price history",
    cell: ({ id }) => (
      <Anchor
        size="sm"
        component={Link}
        href={`/models/prices?endpoint=${encodeURIComponent(id)}`}
        aria-label={`Price history of ${id}`}
      >
        View history
      </Anchor>
    ),
  },
  {
    label: "Context",
    cell: ({ context_length }) => (context_length === null ? "Unknown" : formatCount(context_length)),
  },
  {
    label: "Max output tokens",
    cell: ({ max_output_tokens }) =>
      max_output_tokens === null ? "Unknown" : formatCount(max_output_tokens),
  },
  { label: "Quantization", cell: ({ quantization }) => quantization },
  { label: "Operations", cell: ({ apis }) => apis.join(", ") },
  { label: "Parameters", cell: ({ supported_parameters }) => supported_parameters.join(", ") || "Unknown" },
  { label: "Status", cell: ({ status }) => status },
];
