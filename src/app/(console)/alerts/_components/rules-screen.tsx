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
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { AlertRule } from "#contract/alert-rule.ts";
import { ruleColumns } from "./rule-columns.tsx";
import { ruleFilterFields, rulePageRows, useRuleList } from "./use-rule-list.ts";

const RuleEditor = part(() => import("./rule-editor.tsx").then(({ RuleEditor }) => RuleEditor));

/** The value of `edit` in the URL that opens the form for a new rule. */
const newRuleId = "new";
const refreshMs = 15_000;

/** The rule that the URL opens: of the listed ones, or asked for when it is on another page. */
function useOpenedRule(id: string | null, listed: readonly AlertRule[] | undefined): AlertRule | undefined {
  const found = listed?.find((rule) => rule.id === id);
  const isElsewhere = listed !== undefined && id !== null && id !== newRuleId && !found;
  const other = useQuery(useTRPC().alertRules.get.queryOptions({ id: id ?? "" }, { enabled: isElsewhere }));
  return found ?? (other.data?.data.id === id ? other.data?.data : undefined);
}

export function RulesScreen() {
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  const { query, filters, page, setPage, setEnabled } = useRuleList();
  const channels = useQuery(useTRPC().alertChannels.list.queryOptions({}));
  const nowMs = useNow(refreshMs);
  const mayWrite = useMay("alerts:write");
  const opened = useOpenedRule(edit, query.data?.data);
  const count = query.data?.total_count ?? 0;
  const channelName = (id: string) => channels.data?.data.find((one) => one.id === id)?.name ?? "…";
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setEdit(newRuleId)}>
      Create rule
    </Button>
  );
  return (
    <Screen path="/alerts" actions={create}>
      <FilterBar fields={ruleFilterFields} filters={filters} />
      <DataTable
        label="Alert rules"
        columns={ruleColumns({ nowMs, channelName, setEnabled: mayWrite ? setEnabled : null })}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setEdit(id)}
        selectedId={edit}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No alert rules yet"
            text="A rule watches budgets, credit, errors, latency, endpoints, destinations or the catalogue every minute. It notifies its channels once when something is wrong, and once when it is over."
          >
            {create}
          </EmptyState>
        }
        footer={
          count > rulePageRows && <Pages page={page} pageRows={rulePageRows} count={count} onPage={setPage} />
        }
      />
      {((edit === newRuleId && mayWrite) || opened) && (
        <RuleEditor key={edit} rule={opened ?? null} onClose={() => setEdit(null)} />
      )}
    </Screen>
  );
}
