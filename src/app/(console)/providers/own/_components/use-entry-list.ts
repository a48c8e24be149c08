"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import type { CatalogueEntry } from "#contract/catalogue-entry.ts";

const sections: readonly { value: CatalogueEntry["section"]; label: string }[] = [
  { value: "provider", label: "Providers" },
  { value: "model", label: "Models" },
  { value: "endpoint", label: "Endpoints" },
];

export const entryFilterFields = [
  { name: "find", label: "Search", placeholder: "Name", search: true },
  { name: "section", label: "Type", placeholder: "All entries", options: sections },
] as const;

export const entryPageRows = 50;
const debounceMs = 250;

/** One page of the entries that pass the filters, and switching them on and off. A server may have many models. */
export function useEntryList() {
  const list = useTRPC().catalogueEntries.list;
  const client = useTRPCClient();
  const filters = useFilters(["find", "section"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [find] = useDebouncedValue(filters.values.find?.trim(), debounceMs);
  const section = sections.find(({ value }) => value === filters.values.section)?.value;
  const input = {
    limit: String(entryPageRows),
    offset: String(page * entryPageRows),
    ...(find && { search: find }),
    ...(section && { section }),
  };
  return {
    filters,
    page,
    setPage: (chosen: number) => void setPage(chosen),
    query: useQuery(list.queryOptions(input, { placeholderData: keepPreviousData })),
    setEnabled: useEnabledSwitch(list.queryKey(input), ({ id, enabled }) =>
      client.catalogueEntries.update.mutate({ id, enabled }),
    ),
  };
}
