"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { measures, periods } from "./budget-text.ts";

/** The row of a table that a filter in the URL names. */
const rowNameIn = <Name extends string>(table: Readonly<Record<Name, unknown>>, text: string | null) =>
  (Object.keys(table) as Name[]).find((name) => name === text);

const optionsOf = (texts: Readonly<Record<string, { readonly label: string }>>) =>
  Object.entries(texts).map(([value, { label }]) => ({ value, label }));

export const budgetFilterFields = [
  { name: "find", label: "Search", placeholder: "Name", search: true },
  { name: "measure", label: "Measure", options: optionsOf(measures) },
  { name: "period", label: "Period", options: optionsOf(periods) },
  {
    name: "state",
    label: "Status",
    options: [
      { value: "on", label: "Enabled" },
      { value: "off", label: "Disabled" },
    ],
  },
] as const;

export const budgetPageRows = 50;
const debounceMs = 250;
const refreshMs = 15_000;

/** One page of the budgets that pass the filters, and switching them on and off. */
export function useBudgetList() {
  const list = useTRPC().budgets.list;
  const client = useTRPCClient();
  const filters = useFilters(["find", "measure", "period", "state"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const { state } = filters.values;
  const measure = rowNameIn(measures, filters.values.measure);
  const period = rowNameIn(periods, filters.values.period);
  const input = {
    limit: String(budgetPageRows),
    offset: String(page * budgetPageRows),
    ...(find && { search: find }),
    ...(measure && { measure }),
    ...(period && { period }),
    ...(state && { enabled: state === "on" ? ("true" as const) : ("false" as const) }),
  };
  return {
    filters,
    page,
    setPage: (chosen: number) => void setPage(chosen),
    query: useQuery(
      list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: refreshMs }),
    ),
    setEnabled: useEnabledSwitch(list.queryKey(input), (change) => client.budgets.update.mutate(change)),
  };
}
