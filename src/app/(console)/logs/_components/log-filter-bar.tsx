import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { Filters } from "#app/_lib/use-filters.ts";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { TimeRangeFields } from "#app/_ui/time-range-fields.tsx";
import { countryName } from "#contract/places.ts";
import { errorField, keyField, modelField, presetField } from "./log-fields.ts";
import { customRange, type FilterName, rangeChoices, statusChoices } from "./log-filters.ts";

/** The filters of the log; a custom range has two more fields. */
export function LogFilterBar({ filters }: { filters: Filters<FilterName> }) {
  const trpc = useTRPC();
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const providers = useQuery(trpc.providers.list.queryOptions({}, { staleTime: 60_000 }));
  const fields = [
    { name: "find", label: "Search", placeholder: "Generation, request or session ID", search: true },
    { name: "range", label: "Time", placeholder: "Last 24 hours", options: rangeChoices },
    { name: "status", label: "Status", options: statusChoices },
    modelField,
    {
      name: "provider",
      label: "Provider",
      options: (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    keyField(keys.data?.data),
    { ...errorField, isExtra: true },
    {
      name: "country",
      label: "Country",
      isExtra: true,
      options: [...new Set((providers.data?.data ?? []).flatMap(({ region }) => region ?? []))]
        .toSorted()
        .map((value) => ({ value, label: countryName(value) })),
    },
    { name: "app", label: "App", placeholder: "App", isExtra: true },
    { name: "user", label: "End user", placeholder: "End user", isExtra: true },
    presetField,
  ] as const;
  return (
    <>
      <FilterBar fields={fields} filters={filters} />
      {filters.values.range === customRange && <TimeRangeFields filters={filters} />}
    </>
  );
}
