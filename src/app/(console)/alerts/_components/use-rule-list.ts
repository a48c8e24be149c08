"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { kindIn, kindOptions } from "./alert-text.ts";

export const ruleFilterFields = [
  { name: "find", label: "Search", placeholder: "Name", search: true },
  { name: "kind", label: "Kind", options: kindOptions },
] as const;

export const rulePageRows = 50;
const debounceMs = 250;
const refreshMs = 15_000;

/** One page of the alert rules that pass the filters, and switching them on and off. */
export function useRuleList() {
  const list = useTRPC().alertRules.list;
  const client = useTRPCClient();
  const filters = useFilters(["find", "kind"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const kind = kindIn(filters.values.kind);
  const input = {
    limit: String(rulePageRows),
    offset: String(page * rulePageRows),
    ...(find && { search: find }),
    ...(kind && { kind }),
  };
  return {
    filters,
    page,
    setPage: (chosen: number) => void setPage(chosen || null),
    query: useQuery(
      list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: refreshMs }),
    ),
    setEnabled: useEnabledSwitch(list.queryKey(input), (change) => client.alertRules.update.mutate(change)),
  };
}
