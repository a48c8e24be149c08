import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { Filters } from "#app/_lib/use-filters.ts";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { TimeRangeFields } from "#app/_ui/time-range-fields.tsx";
import type { GenerationLine } from "#contract/generation.ts";
import { countryName } from "#contract/places.ts";
import { errorField, keyField, modelField, presetField } from "./log-fields.ts";
import { customRange, type FilterName, rangeChoices, statusChoices } from "./log-filters.ts";

type Suggested = "model" | "error_code" | "app_title" | "user_reference";

/** A text field that is shown once it is added. */
const extra = <Name extends FilterName>(name: Name, label: string) =>
  ({ name, label, placeholder: label, isExtra: true }) as const;

const searchField = {
  ...({ name: "find", label: "Search", placeholder: "Generation, request or session ID" } as const),
  search: true,
} as const;

interface LogFilterBarProps {
  readonly filters: Filters<FilterName>;
  /** The requests that are shown, whose values are suggested. */
  readonly rows: readonly Pick<GenerationLine, Suggested>[];
  /** Whether ids can be searched for. */
  readonly hasSearch?: boolean;
}

/** The different values of a field, in order. */
const valuesOf = (rows: LogFilterBarProps["rows"], field: Suggested): string[] =>
  [...new Set(rows.flatMap((row) => row[field] ?? []))].toSorted();

/** The filters of the log; a custom range has two more fields. */
export function LogFilterBar({ filters, rows, hasSearch = true }: LogFilterBarProps) {
  const trpc = useTRPC();
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const providers = useQuery(trpc.providers.list.queryOptions({}, { staleTime: 60_000 }));
  const fields = [
    ...(hasSearch ? [searchField] : []),
    { name: "range", label: "Time", placeholder: "Last 24 hours", options: rangeChoices },
    { name: "status", label: "Status", options: statusChoices },
    { ...modelField, suggestions: valuesOf(rows, "model") },
    {
      name: "provider",
      label: "Provider",
      options: (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    keyField(keys.data?.data),
    { ...errorField, isExtra: true, suggestions: valuesOf(rows, "error_code") },
    {
      name: "country",
      label: "Country",
      isExtra: true,
      options: [...new Set((providers.data?.data ?? []).flatMap(({ region }) => region ?? []))]
        .toSorted()
        .map((value) => ({ value, label: countryName(value) })),
    },
    { ...extra("app", "App"), suggestions: valuesOf(rows, "app_title") },
    { ...extra("user", "End user"), suggestions: valuesOf(rows, "user_reference") },
    presetField,
  ] as const;
  return (
    <>
      <FilterBar fields={fields} filters={filters} />
      {filters.values.range === customRange && <TimeRangeFields filters={filters} />}
    </>
  );
}
