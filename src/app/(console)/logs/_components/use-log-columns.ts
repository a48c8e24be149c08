"use client";

import { parseAsArrayOf, parseAsString, useQueryState } from "nuqs";
import type { Column } from "#app/_ui/data-table.tsx";
import type { GenerationLine } from "#contract/generation.ts";
import { defaultColumns } from "./log-columns.tsx";

/** The columns that a person chose, in the URL; the first one is always shown. */
export function useLogColumns(all: readonly Column<GenerationLine>[]) {
  const [stored, store] = useQueryState("columns", parseAsArrayOf(parseAsString));
  const chosen: readonly string[] = stored ?? defaultColumns;
  const [first, ...others] = all;
  const shown = others.filter(({ id }) => chosen.includes(id));
  return {
    columns: first ? [first, ...shown] : shown,
    menu: {
      columns: others,
      chosen,
      onChange: (ids: readonly string[]) => void store([...ids]),
      onReset: stored === null ? null : () => void store(null),
    },
  };
}
