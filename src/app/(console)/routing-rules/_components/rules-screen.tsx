"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { ruleColumns } from "./rule-columns.tsx";
import { newRuleScope } from "./scopes.ts";
import { newRuleId, useEditedRule } from "./use-edited-rule.ts";
import { useMayChange } from "./use-may-change.ts";
import { ruleFilterFields, rulePageRows, useRuleList } from "./use-rule-list.ts";

const RuleEditor = part(() => import("./rule-editor.tsx").then(({ RuleEditor }) => RuleEditor));
/** Loads when there is no rule: its button needs what the screen itself does not. */
const NoRules = part(() => import("./no-rules.tsx").then(({ NoRules }) => NoRules));
const ResidencySheet = part(() =>
  import("./residency-sheet.tsx").then(({ ResidencySheet }) => ResidencySheet),
);
const TransferSheet = part(() => import("./transfer-sheet.tsx").then(({ TransferSheet }) => TransferSheet));

export function RulesScreen() {
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  const [suggestion, setSuggestion] = useQueryState("suggest", parseAsString);
  const [sheet, setSheet] = useQueryState("sheet", parseAsString);
  const { query, filters, page, setPage, setEnabled } = useRuleList();
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const workspaceName = (id: string) => workspaces.data?.data.find((one) => one.id === id)?.name;
  const mayChange = useMayChange();
  const mayCreate = mayChange("user");
  const edited = useEditedRule(edit, query.data?.data);
  const count = query.data?.total_count ?? 0;
  const create = mayCreate && (
    <Button size="xs" onClick={() => void setEdit(newRuleId)}>
      Create rule
    </Button>
  );
  const actions = (
    <>
      <Button size="xs" variant="default" onClick={() => void setSheet("residency")}>
        EU groups
      </Button>
      <Button size="xs" variant="default" onClick={() => void setSheet("transfer")}>
        Import or export
      </Button>
      {create}
    </>
  );
  return (
    <Screen path="/routing-rules" actions={actions}>
      <FilterBar fields={ruleFilterFields} filters={filters} />
      <DataTable
        label="Routing rules"
        columns={ruleColumns(setEnabled, mayChange, workspaceName)}
        rows={query.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setEdit(id)}
        selectedId={edit}
        error={query.error}
        onRetry={() => void query.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={<NoRules mayAddEuOnly={mayChange("org")}>{create}</NoRules>}
        footer={
          count > rulePageRows && <Pages page={page} pageRows={rulePageRows} count={count} onPage={setPage} />
        }
      />
      {((edit === newRuleId && mayCreate) || edited) && (
        <RuleEditor
          key={edit}
          rule={edited ?? null}
          newScope={newRuleScope(filters.values.scope, mayChange)}
          suggestion={suggestion}
          onClose={() => Promise.all([setEdit(null), setSuggestion(null)])}
        />
      )}
      {sheet === "residency" && <ResidencySheet onClose={() => void setSheet(null)} />}
      {sheet === "transfer" && <TransferSheet onClose={() => void setSheet(null)} />}
    </Screen>
  );
}
