"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { Budget } from "#contract/budget.ts";
import { budgetColumns } from "./budget-columns.tsx";
import { budgetFilterFields, budgetPageRows, useBudgetList } from "./use-budget-list.ts";
import { useNames } from "./use-names.ts";

const BudgetEditor = part(() => import("./budget-editor.tsx").then(({ BudgetEditor }) => BudgetEditor));

/** Few organisations have more budgets than one page shows. */
const Pages = part(() => import("#app/_ui/pages.tsx").then(({ Pages }) => Pages));

/** The value of `edit` in the URL that opens the form for a new budget. */
const newBudgetId = "new";

/** The budget that the URL opens: of the listed ones, or asked for when it is on another page. */
function useOpenedBudget(id: string | null, listed: readonly Budget[] | undefined): Budget | undefined {
  const found = listed?.find((budget) => budget.id === id);
  const isElsewhere = listed !== undefined && id !== null && id !== newBudgetId && !found;
  const other = useQuery(useTRPC().budgets.get.queryOptions({ id: id ?? "" }, { enabled: isElsewhere }));
  return found ?? (other.data?.data.id === id ? other.data?.data : undefined);
}

export function BudgetsScreen() {
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  const { query, filters, page, setPage, setEnabled } = useBudgetList();
  const names = useNames();
  const nowMs = useNow(15_000);
  const mayWrite = useMay("workspaces:write");
  const opened = useOpenedBudget(edit, query.data?.data);
  const count = query.data?.total_count ?? 0;
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setEdit(newBudgetId)}>
      Create budget
    </Button>
  );
  return (
    <Screen path="/budgets" actions={create}>
      <FilterBar fields={budgetFilterFields} filters={filters} />
      <DataTable
        label="Budgets"
        columns={budgetColumns({ nowMs, nameOf: names.nameOf, setEnabled: mayWrite ? setEnabled : null })}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setEdit(id)}
        selectedId={edit}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No budgets yet"
            text="A budget limits cost, tokens, requests or parallel requests: for the whole organisation, or for each key, person, workspace, model or end user. A request that would exceed it is refused before a provider is contacted."
          >
            {create}
          </EmptyState>
        }
        footer={
          count > budgetPageRows && (
            <Pages page={page} pageRows={budgetPageRows} count={count} onPage={setPage} />
          )
        }
      />
      {((edit === newBudgetId && mayWrite) || opened) && (
        <BudgetEditor key={edit} budget={opened ?? null} names={names} onClose={() => setEdit(null)} />
      )}
    </Screen>
  );
}
