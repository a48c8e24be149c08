"use client";

import { parseAsString, useQueryState } from "nuqs";

/** The sorting of a screen's table, stored in the URL. */
export function useSort(byDefault: string) {
  const [sort, setSort] = useQueryState("sort", parseAsString.withDefault(byDefault));
  return { sort, onSort: (chosen: string) => void setSort(chosen) };
}
