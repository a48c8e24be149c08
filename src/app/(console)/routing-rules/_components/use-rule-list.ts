"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { isScope, scopes } from "./scopes.ts";

export const ruleFilterFields = [
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

export const rulePageRows = 100;
const debounceMs = 250;

/** One page of the rules that pass the filters, and switching them on and off. */
export function useRuleList() {
  const list = useTRPC().routingRules.list;
  const client = useTRPCClient();
  const filters = useFilters(["find", "scope", "state"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const { scope, state } = filters.values;
  const input = {
    include_disabled: "true",
    limit: String(rulePageRows),
    offset: String(page * rulePageRows),
    ...(find && { search: find }),
    ...(scope && isScope(scope) && { scope }),
    ...(state && { enabled: state === "on" ? ("true" as const) : ("false" as const) }),
  } as const;
  return {
    filters,
    page,
    setPage: (chosen: number) => void setPage(chosen),
    query: useQuery(list.queryOptions(input, { placeholderData: keepPreviousData })),
    setEnabled: useEnabledSwitch(list.queryKey(input), (change) => client.routingRules.update.mutate(change)),
  };
}
