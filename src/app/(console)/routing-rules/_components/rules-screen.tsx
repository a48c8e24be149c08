"use client";

import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useEuOnly } from "#app/_lib/use-eu-only.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { ruleColumns } from "./rule-columns.tsx";
import { isScope, scopes } from "./scopes.ts";
import { useMayChange } from "./use-may-change.ts";

const RuleEditor = dynamic(() => import("./rule-editor.tsx").then(({ RuleEditor }) => RuleEditor), {
  ssr: false,
});
const ResidencySheet = dynamic(
  () => import("./residency-sheet.tsx").then(({ ResidencySheet }) => ResidencySheet),
  { ssr: false },
);
const TransferSheet = dynamic(
  () => import("./transfer-sheet.tsx").then(({ TransferSheet }) => TransferSheet),
  { ssr: false },
);

const fields = [
  { name: "find", label: "Search", placeholder: "Name, description or model", search: true },
  {
    name: "scope",
    label: "Scope",
    options: Object.entries(scopes).map(([value, { label }]) => ({ value, label })),
  },
  {
    name: "state",
    label: "Status",
    options: [
      { value: "on", label: "Enabled" },
      { value: "off", label: "Disabled" },
    ],
  },
] as const;

const pageRows = 100;
const typedMs = 250;

export function RulesScreen() {
  const trpc = useTRPC();
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  const [sheet, setSheet] = useQueryState("sheet", parseAsString);
  const filters = useFilters(["find", "scope", "state"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  // What is being typed is looked for once it stands still.
  const [find] = useDebouncedValue(filters.values.find?.trim(), typedMs);
  const { scope, state } = filters.values;
  const query = {
    include_disabled: "true",
    limit: String(pageRows),
    offset: String(page * pageRows),
    ...(find && { search: find }),
    ...(scope && isScope(scope) && { scope }),
    ...(state && { enabled: state === "on" ? ("true" as const) : ("false" as const) }),
  } as const;
  const rules = useQuery(trpc.routingRules.list.queryOptions(query, { placeholderData: keepPreviousData }));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const workspaceName = (id: string) => workspaces.data?.data.find((one) => one.id === id)?.name;
  const client = useTRPCClient();
  const setEnabled = useEnabledSwitch(trpc.routingRules.list.queryKey(query), (change) =>
    client.routingRules.update.mutate(change),
  );
  const euOnly = useEuOnly();
  const mayChange = useMayChange();
  const mayCreate = mayChange("user");
  const listed = rules.data?.data.find(({ id }) => id === edit);
  const unlisted = useQuery(
    trpc.routingRules.get.queryOptions(
      { id: edit ?? "" },
      { enabled: rules.isSuccess && edit !== null && edit !== "new" && !listed },
    ),
  );
  const edited = listed ?? (edit === unlisted.data?.data.id ? unlisted.data?.data : undefined);
  const count = rules.data?.total_count ?? 0;
  const create = mayCreate && (
    <Button size="xs" onClick={() => void setEdit("new")}>
      Create rule
    </Button>
  );
  return (
    <Screen
      path="/routing-rules"
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => void setSheet("residency")}>
            EU groups
          </Button>
          <Button size="xs" variant="default" onClick={() => void setSheet("transfer")}>
            Import or export
          </Button>
          {create}
        </>
      }
    >
      <FilterBar fields={fields} filters={filters} />
      <DataTable
        label="Routing rules"
        columns={ruleColumns(setEnabled, mayChange, workspaceName)}
        rows={rules.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setEdit(id)}
        selectedId={edit}
        error={rules.error}
        onRetry={() => void rules.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={
          <EmptyState
            title="No routing rules yet"
            text="Rules decide where inference runs, which providers serve it, how long they keep data and what it may cost. They apply to all matching requests within a second. Requests cannot override them."
          >
            {mayChange("org") && (
              <Button size="xs" onClick={() => euOnly.mutate()} loading={euOnly.isPending}>
                EU only
              </Button>
            )}
            {create}
          </EmptyState>
        }
        footer={
          count > pageRows && (
            <Pages page={page} pageRows={pageRows} count={count} onPage={(chosen) => void setPage(chosen)} />
          )
        }
      />
      {((edit === "new" && mayCreate) || edited) && (
        <RuleEditor key={edit} rule={edited ?? null} onClose={() => setEdit(null)} />
      )}
      {sheet === "residency" && <ResidencySheet onClose={() => void setSheet(null)} />}
      {sheet === "transfer" && <TransferSheet onClose={() => void setSheet(null)} />}
    </Screen>
  );
}
