import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { Filters } from "#app/_lib/use-filters.ts";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { TimeRangeFields } from "#app/_ui/time-range-fields.tsx";
import {
  areaChoices,
  customRange,
  defaultPeriod,
  type FlowFilterName,
  periodChoices,
} from "./flow-filters.ts";

const rarely = { staleTime: 60_000 };

/** The filters of a report of data flows; a custom period has two more fields. */
export function FlowFilterBar({ filters }: { filters: Filters<FlowFilterName> }) {
  const trpc = useTRPC();
  const keys = useQuery(trpc.keys.names.queryOptions({}, rarely));
  const providers = useQuery(trpc.providers.list.queryOptions({}, rarely));
  const members = useQuery(trpc.members.list.queryOptions({}, rarely));
  const destinations = useQuery(trpc.destinations.list.queryOptions({}, rarely));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, rarely));
  const rules = useQuery(trpc.routingRules.list.queryOptions({}, rarely));
  const fields = [
    { name: "user", label: "End user", placeholder: "End user, e.g. ada@example.eu", search: true },
    { name: "range", label: "Period", placeholder: defaultPeriod, options: periodChoices },
    {
      name: "provider",
      label: "Provider",
      options: (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    { name: "area", label: "Place", placeholder: "Any place", options: areaChoices },
    { name: "country", label: "Country code", placeholder: "Country, e.g. US" },
    {
      name: "key",
      label: "Key",
      options: (keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "person",
      isExtra: true,
      label: "Person",
      placeholder: "Any owner",
      options: (members.data?.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    },
    {
      name: "destination",
      isExtra: true,
      label: "Destination",
      options: (destinations.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "workspace",
      isExtra: true,
      label: "Workspace",
      options: (workspaces.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "rule",
      isExtra: true,
      label: "Routing rule",
      placeholder: "Any rule",
      options: (rules.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    // Chosen at a provider of the report, not typed.
    ...(
      [
        { name: "endpoint", label: "Endpoint" },
        { name: "facts", label: "SHA-256 of facts" },
      ] as const
    ).filter(({ name }) => filters.values[name] !== null),
  ] as const;
  return (
    <>
      <FilterBar fields={fields} filters={filters} />
      {filters.values.range === customRange && <TimeRangeFields filters={filters} />}
    </>
  );
}
