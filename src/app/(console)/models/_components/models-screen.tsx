"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { formatCount, formatEurShort, formatUsdShort } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { CatalogueModel } from "#contract/catalogue-view.ts";
import type { ModelPricing } from "#contract/models.ts";

const ModelSheet = part(() => import("./model-sheet.tsx").then(({ ModelSheet }) => ModelSheet));

/** In EUR for a million tokens; null without a price, and for models that are billed per search. */
function perMillion({ type, cheapest }: CatalogueModel): number | null {
  const eur = cheapest ? Number(cheapest.eur) : null;
  return type === "rerank" && eur === 0 ? null : eur;
}

function SearchPrice({ pricing }: { pricing: ModelPricing | null | undefined }) {
  if (!pricing?.search_unit) return "–";
  const thousand = (Number(pricing.search_unit) * 1_000).toFixed(6);
  return (
    <>
      {pricing.currency === "EUR" ? formatEurShort(thousand) : formatUsdShort(thousand)}
      <Text size="xs" c="dimmed">
        per 1,000 searches
      </Text>
    </>
  );
}

/** `searched` has the prices of models that are billed per search. */
const columns = (searched: ReadonlyMap<string, ModelPricing | null>): readonly Column<CatalogueModel>[] => [
  {
    id: "model",
    header: "Model",
    compare: (a, b) => a.id.localeCompare(b.id, "en"),
    cell: ({ id, name }) => <TitleCell title={id} detail={name !== id && name} />,
  },
  { id: "type", header: "Type", visibleFrom: "sm", cell: ({ type }) => type },
  {
    id: "context",
    header: "Context",
    align: "right",
    visibleFrom: "md",
    compare: (a, b) => (a.context_length ?? 0) - (b.context_length ?? 0),
    cell: ({ context_length }) => (context_length === null ? "–" : formatCount(context_length)),
  },
  {
    id: "endpoints",
    header: "Available endpoints",
    align: "right",
    visibleFrom: "sm",
    compare: (a, b) => a.usable_endpoints - b.usable_endpoints || a.endpoint_count - b.endpoint_count,
    cell: ({ usable_endpoints, endpoint_count }) => `${usable_endpoints} of ${endpoint_count}`,
  },
  {
    id: "price",
    header: "From, per 1M tokens",
    align: "right",
    compare: (a, b) => (perMillion(a) ?? 0) - (perMillion(b) ?? 0),
    lacks: (model) => perMillion(model) === null,
    cell: (model) => {
      const { id, cheapest } = model;
      return cheapest && perMillion(model) !== null ? (
        <>
          {formatEurShort(cheapest.eur)}
          <Text size="xs" c="dimmed">
            {formatUsdShort(cheapest.usd)}
          </Text>
        </>
      ) : (
        <SearchPrice pricing={searched.get(id)} />
      );
    },
  },
];

export function ModelsScreen() {
  const trpc = useTRPC();
  const models = useQuery(trpc.catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const providers = useQuery(trpc.providers.list.queryOptions({}, { staleTime: 60_000 }));
  const rerankers = useQuery(trpc.models.list.queryOptions({ category: "rerank" }, { staleTime: 60_000 }));
  const searched = new Map(rerankers.data?.data.map(({ id, pricing }) => [id, pricing]));
  const filters = useFilters(["find", "type", "provider", "use"]);
  const sorting = useSort("-endpoints");
  const [open, setOpen] = useQueryState("open", parseAsString);
  const { find, type, provider, use } = filters.values;
  const rows = models.data?.data.filter(
    (model) =>
      `${model.id} ${model.name}`.toLowerCase().includes(find?.toLowerCase() ?? "") &&
      (type === null || model.type === type) &&
      (provider === null || model.providers.includes(provider)) &&
      (use === null || model.usable_endpoints > 0),
  );
  const types = [...new Set(models.data?.data.map((model) => model.type))];
  const fields = [
    { name: "find", label: "Search", placeholder: "Model", search: true },
    { name: "type", label: "Type", options: types.map((value) => ({ value, label: value })) },
    {
      name: "provider",
      label: "Provider",
      options: (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    {
      name: "use",
      label: "Availability",
      placeholder: "All models",
      options: [{ value: "now", label: "Available now" }],
    },
  ] as const;
  return (
    <Screen path="/models">
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Models"
        columns={columns(searched)}
        rows={rows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={models.error}
        onRetry={() => void models.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        skeletonRows={12}
        empty={<EmptyState title="No models" text="The catalogue contains no models." />}
        {...sorting}
      />
      {open && <ModelSheet id={open} onClose={() => void setOpen(null)} />}
    </Screen>
  );
}
