"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { generationSorts } from "#contract/activity.ts";
import type { GenerationCursor } from "#contract/generation.ts";
import { cursorText, parseCursor } from "./cursor.ts";
import { filterNames, generationFilter } from "./log-filters.ts";

const typedMs = 250;
const liveMs = 2_000;
const refreshMs = 30_000;

/** The requests that the address bar asks for: filters, page and live updates. */
export function useLogs() {
  const filters = useFilters(filterNames, ["after"]);
  const [after, setAfter] = useQueryState("after", parseAsString.withOptions({ history: "push" }));
  const [live, setLive] = useQueryState("live", parseAsBoolean.withDefault(false));
  const [sort, setSort] = useQueryState("sort", parseAsString.withDefault(""));
  const sortedBy = generationSorts.find((one) => sort === `-${one}`);
  const nowMs = useNow(refreshMs);
  // A request is sent once typing pauses.
  const [debounced] = useDebouncedValue(JSON.stringify(filters.values), typedMs);
  const filter = generationFilter(JSON.parse(debounced), nowMs);
  const page = useQuery(
    useTRPC().generations.list.queryOptions(
      sortedBy ? { ...filter, sort: sortedBy } : { ...filter, after: parseCursor(after) },
      { placeholderData: keepPreviousData, refetchInterval: live && !after ? liveMs : false },
    ),
  );
  return {
    filters,
    filter,
    page,
    nowMs,
    live,
    setLive: (chosen: boolean) => void setLive(chosen || null),
    sort,
    sortedBy,
    setSort: (chosen: string) => {
      void setAfter(null);
      void setSort(chosen || null);
    },
    isNewestPage: after === null,
    goToPage: (cursor: GenerationCursor | null) => void setAfter(cursor && cursorText(cursor)),
  };
}
