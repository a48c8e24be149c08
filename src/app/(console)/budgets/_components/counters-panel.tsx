"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { SearchIcon } from "#app/_ui/icons.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import type { Budget } from "#contract/budget.ts";
import type { BudgetCounter } from "#contract/budget-counter.ts";
import { measures, type NameOf, resetText } from "./budget-text.ts";
import { BudgetUseBar } from "./budget-use.tsx";
import { valueNames } from "./counter-names.ts";

interface CountersPanelProps {
  readonly budget: Budget;
  readonly nameOf: NameOf;
}

const pageRows = 20;

const columnsOf = ({ budget, nameOf }: CountersPanelProps): readonly Column<BudgetCounter>[] => [
  {
    id: "values",
    header: "Value",
    cell: ({ values }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {valueNames(budget.dimensions, values, nameOf)}
      </Text>
    ),
  },
  {
    id: "use",
    header: "Use",
    cell: (counter) => (
      <BudgetUseBar
        label={`Use of ${valueNames(budget.dimensions, counter.values, nameOf)}`}
        measure={budget.measure}
        limit={budget.limit}
        used={counter.used}
        held={counter.held}
      />
    ),
  },
];

/** The values that a budget counts separately, the highest use first. */
function CounterList(props: CountersPanelProps) {
  const { budget } = props;
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(0);
  const [find] = useDebouncedValue(search.trim(), 250);
  const input = {
    id: budget.id,
    limit: String(pageRows),
    offset: String(page * pageRows),
    ...(find && { search: find }),
  };
  const counters = useQuery(
    useTRPC().budgets.counters.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  const count = counters.data?.total_count ?? 0;
  return (
    <>
      <TextInput
        size="xs"
        aria-label="Search values"
        placeholder="Search values"
        leftSection={<SearchIcon width={14} height={14} />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setPage(0);
        }}
      />
      <DataTable
        label="Use by value"
        columns={columnsOf(props)}
        rows={counters.data?.data}
        rowId={({ values }) => values.join("\n")}
        error={counters.error}
        onRetry={() => void counters.refetch()}
        onClearFilters={search === "" ? undefined : () => setSearch("")}
        skeletonRows={3}
        empty={
          <EmptyState title="Nothing counted yet" text="No request was counted in the current period." />
        }
        footer={count > pageRows && <Pages page={page} pageRows={pageRows} count={count} onPage={setPage} />}
      />
    </>
  );
}

/** The use of a budget in its current period. */
export function CountersPanel(props: CountersPanelProps) {
  const { budget } = props;
  const { measure, limit, use, dimensions, enabled } = budget;
  const isSeparate = dimensions.some(({ value }) => value === null);
  const { amount } = measures[measure];
  return (
    <Stack>
      {!enabled && <Text size="sm">This budget is disabled: it counts and refuses nothing.</Text>}
      <Facts
        label="Current period"
        rows={[
          ["Resets", resetText(use.resets_at)],
          ["Reserved", isSeparate || measure === "concurrency" ? null : amount(use.held)],
          ["Values with requests", isSeparate ? String(use.counters) : null],
        ]}
      />
      {isSeparate ? (
        <CounterList {...props} />
      ) : (
        <BudgetUseBar
          label={`Use of ${budget.name}`}
          measure={measure}
          limit={limit}
          used={use.used}
          held={use.held}
        />
      )}
    </Stack>
  );
}
