"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import {
  type CatalogueComparison,
  type CatalogueDifference,
  differenceGroups,
} from "#contract/catalogue-update.ts";
import { changes, changeText, groups, overriders } from "./update-text.ts";

function ValueCell({ row }: { row: CatalogueDifference }) {
  const [before, after] = changeText(row);
  return (
    <Text size="sm" component="span" style={{ overflowWrap: "anywhere" }}>
      {before === "–" && after === "–" ? changes[row.change] : `${before} → ${after}`}
      {row.overridden_by !== null && (
        <Text size="xs" c="dimmed" component="span" display="block">
          No effect: {overriders[row.overridden_by]} has its own value
        </Text>
      )}
    </Text>
  );
}

const columns: readonly Column<CatalogueDifference>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ name, field, change }) => <TitleCell title={name} detail={field ?? changes[change]} />,
  },
  {
    id: "group",
    header: "Kind",
    visibleFrom: "sm",
    cell: ({ group }) => (
      <Text size="sm" component="span" style={{ whiteSpace: "nowrap" }}>
        {groups[group]}
      </Text>
    ),
  },
  { id: "value", header: "Before → after", cell: (row) => <ValueCell row={row} /> },
];

/** An answer has 1,000 rows at most. */
function Rest({ shown = 0, count = 0 }: { shown?: number | undefined; count?: number | undefined }) {
  return count > shown ? (
    <Text size="sm" c="dimmed" p="xs">
      The first {formatCount(shown)} of {formatCount(count)} differences. Filter them to see the others.
    </Text>
  ) : null;
}

/** The differences, narrowed by group and text on the server. */
export function DifferenceTable({ update }: { update: CatalogueComparison }) {
  const filters = useFilters(["group", "name"]);
  const { group, name } = filters.values;
  const query = {
    id: update.id,
    ...(name !== null && { search: name }),
    group: differenceGroups.find((one) => one === group),
  };
  const differences = useQuery(useTRPC().catalogueUpdates.differences.queryOptions(query));
  const fields = [
    { name: "name", label: "Search", placeholder: "Name or field", search: true },
    {
      name: "group",
      label: "Kind of difference",
      placeholder: "All differences",
      options: update.counts.map(({ group: value }) => ({ value, label: groups[value] })),
    },
  ] as const;
  return (
    <>
      <FilterBar fields={fields} filters={filters} label="Filters of differences" />
      <DataTable
        label="Differences"
        columns={columns}
        rows={differences.data?.data}
        rowId={(row) => `${row.section} ${row.name} ${row.field}`}
        error={differences.error}
        onRetry={() => void differences.refetch()}
        onClearFilters={filters.active > 0 ? filters.clear : undefined}
        footer={<Rest shown={differences.data?.data.length} count={differences.data?.total_count} />}
        empty={<EmptyState title="No differences" text="Both catalogues have the same content." />}
      />
    </>
  );
}
