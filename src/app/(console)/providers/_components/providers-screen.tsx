"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { HealthStatus } from "#app/_ui/health-status.tsx";
import { Monogram } from "#app/_ui/monogram.tsx";
import { part } from "#app/_ui/part.tsx";
import { known, PolicyBadges } from "#app/_ui/policy-badges.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import { UsableStatus } from "#app/_ui/usable-status.tsx";
import type { CatalogueProvider, ProviderHealth } from "#contract/catalogue-view.ts";

const ProviderSheet = part(() => import("./provider-sheet.tsx").then(({ ProviderSheet }) => ProviderSheet));

type Row = CatalogueProvider & { readonly measured: ProviderHealth | undefined };

const columns: readonly Column<Row>[] = [
  {
    id: "name",
    header: "Provider",
    compare: (a, b) => a.name.localeCompare(b.name, "en"),
    cell: ({ name, slug }) => (
      <TitleCell title={name} detail={slug} mark={<Monogram name={name} seed={slug} />} />
    ),
  },
  { id: "policy", header: "Data policy", cell: (row) => <PolicyBadges facts={row} /> },
  {
    id: "models",
    header: "Models",
    align: "right",
    visibleFrom: "sm",
    compare: (a, b) => a.model_count - b.model_count,
    cell: ({ model_count }) => model_count,
  },
  {
    id: "use",
    header: "Availability",
    visibleFrom: "sm",
    compare: (a, b) => Number(a.unusable !== null) - Number(b.unusable !== null),
    cell: (row) => <UsableStatus unusable={row.unusable} />,
  },
  {
    id: "health",
    header: "Health",
    visibleFrom: "md",
    cell: ({ measured }) => (measured ? <HealthStatus health={measured} /> : "–"),
  },
];

/** What the list can be narrowed to, each a question of law or of terms. */
const traits: Record<string, { label: string; holds: (row: Row) => boolean }> = {
  usable: { label: "Available now", holds: ({ unusable }) => unusable === null },
  eu: { label: "EU-owned", holds: ({ eu_owned }) => known(eu_owned) === true },
  zero: { label: "Zero data retention", holds: ({ retention_days }) => known(retention_days) === 0 },
  still: { label: "No training", holds: ({ training }) => known(training) === false },
};

const fields = [
  { name: "find", label: "Search", placeholder: "Name or country", search: true },
  {
    name: "trait",
    label: "Data policy",
    placeholder: "All providers",
    options: Object.entries(traits).map(([value, { label }]) => ({ value, label })),
  },
] as const;

export function ProvidersScreen() {
  const trpc = useTRPC();
  const providers = useQuery(trpc.catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  const health = useQuery(trpc.catalogue.health.queryOptions({}, { refetchInterval: 15_000 }));
  const filters = useFilters(["find", "trait"]);
  const sorting = useSort("use");
  const [open, setOpen] = useQueryState("open", parseAsString);
  const { find, trait } = filters.values;
  const wanted = find?.toLowerCase() ?? "";
  const rows = providers.data?.data
    .map((row) => ({ ...row, measured: health.data?.data.find(({ slug }) => slug === row.slug) }))
    .filter((row) => {
      const text = [row.name, row.slug, row.headquarters, ...row.countries].join(" ").toLowerCase();
      return text.includes(wanted) && (traits[trait ?? ""]?.holds(row) ?? true);
    });
  const opened = providers.data?.data.find(({ slug }) => slug === open);
  const update = useIsOperator() && (
    <Button component={Link} href="/providers/updates?add=update" size="xs" variant="default">
      Update catalogue
    </Button>
  );
  return (
    <Screen path="/providers" actions={update}>
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Providers"
        columns={columns}
        rows={rows}
        rowId={({ slug }) => slug}
        onOpen={({ slug }) => void setOpen(slug)}
        selectedId={open}
        error={providers.error}
        onRetry={() => void providers.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        empty={<EmptyState title="No providers" text="The catalogue contains no providers." />}
        {...sorting}
      />
      {opened && <ProviderSheet provider={opened} onClose={() => void setOpen(null)} />}
    </Screen>
  );
}
