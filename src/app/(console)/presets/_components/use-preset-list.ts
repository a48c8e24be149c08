"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";

export const presetFilterFields = [
  { name: "find", label: "Search", placeholder: "Name or description", search: true },
] as const;

export const presetPageRows = 50;
const debounceMs = 250;

/** One page of the presets that pass the filter. */
export function usePresetList() {
  const filters = useFilters(["find"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const input = {
    limit: String(presetPageRows),
    offset: String(page * presetPageRows),
    ...(find && { search: find }),
  };
  return {
    filters,
    page,
    setPage: (chosen: number) => void setPage(chosen),
    query: useQuery(useTRPC().presets.list.queryOptions(input, { placeholderData: keepPreviousData })),
  };
}
