"use client";

import { Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import type { ListedEntry } from "#app/_lib/changed-fields.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useActorNames } from "#app/_lib/use-actor-names.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { isoOf, useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { FilterBar } from "#app/_ui/filter-bar.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { activityRanges } from "#contract/activity.ts";
import { SaveCsv } from "./save-csv.tsx";
import { VerificationPanel } from "./verification-panel.tsx";

const EntrySheet = part(() => import("./entry-sheet.tsx").then(({ EntrySheet }) => EntrySheet));

const pageRows = 50;
const typedMs = 250;
const refreshMs = 60_000;

const ranges: Partial<Record<string, { readonly ms: number }>> = activityRanges;

/** The end of an ID distinguishes it from others; a name, such as that of a connected app, is shown in full. */
const shortId = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-8)}` : id);

const columnsOf = (
  nowMs: number,
  actorOf: (entry: ListedEntry) => string,
): readonly Column<ListedEntry>[] => [
  {
    id: "action",
    header: "Action",
    cell: ({ action: what }) => (
      <Text component="span" size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
        {what}
      </Text>
    ),
  },
  { id: "who", header: "Actor", cell: actorOf },
  {
    id: "what",
    header: "Object",
    visibleFrom: "sm",
    cell: ({ subject_type, subject_id }) => `${subject_type.replaceAll("_", " ")} ${shortId(subject_id)}`,
  },
  { id: "from", header: "IP address", visibleFrom: "md", cell: ({ ip_address }) => ip_address ?? "–" },
  {
    id: "when",
    header: "Time",
    cell: ({ occurred_at }) => <RelativeTime iso={occurred_at} nowMs={nowMs} />,
  },
];

export function AuditScreen() {
  const trpc = useTRPC();
  const nowMs = useNow(refreshMs);
  const filters = useFilters(["action", "subject", "actor", "range"], ["page"]);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(0));
  const [open, setOpen] = useQueryState("open", parseAsInteger);
  const [action] = useDebouncedValue(filters.values.action, typedMs);
  const [subject] = useDebouncedValue(filters.values.subject, typedMs);
  const { actor, range } = filters.values;
  const span = ranges[range ?? ""];
  const filter = {
    ...(action && { action }),
    ...(subject && { subject_id: subject }),
    ...(actor && { actor_id: actor }),
    ...(span && { from: isoOf(nowMs - span.ms) }),
  };
  const log = useQuery(
    trpc.audit.list.queryOptions(
      { limit: String(pageRows), offset: String(page * pageRows), ...filter },
      { placeholderData: keepPreviousData },
    ),
  );
  const members = useQuery(trpc.members.list.queryOptions({}, { staleTime: 60_000 }));
  const actorOf = useActorNames();

  const fields = [
    { name: "action", label: "Action", placeholder: "Action, e.g. api_key.create", search: true },
    { name: "subject", label: "ID of the changed object", placeholder: "ID of the changed object" },
    {
      name: "actor",
      label: "Person",
      placeholder: "Anyone",
      options: (members.data?.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    },
    {
      name: "range",
      label: "Time",
      placeholder: "Any time",
      options: Object.entries(activityRanges).map(([value, { label }]) => ({
        value,
        label: `Last ${label}`,
      })),
    },
  ] as const;
  const opened = log.data?.data.find(({ position }) => position === open);
  const total = log.data?.total_count ?? 0;
  return (
    <Screen path="/settings/audit-log">
      <VerificationPanel />
      <Group justify="space-between">
        <FilterBar fields={fields} filters={filters} />
        <SaveCsv filter={filter} actorOf={actorOf} />
      </Group>
      <DataTable
        label="Audit log"
        columns={columnsOf(nowMs, actorOf)}
        rows={log.data?.data}
        rowId={({ position }) => String(position)}
        onOpen={({ position }) => void setOpen(position)}
        selectedId={open === null ? null : String(open)}
        error={log.error}
        onRetry={() => void log.refetch()}
        onClearFilters={filters.active > 0 || page > 0 ? filters.clear : undefined}
        empty={<EmptyState title="No entries yet" text="Every change of a setting is recorded here." />}
        footer={
          total > pageRows && (
            <Pages page={page} pageRows={pageRows} count={total} onPage={(chosen) => void setPage(chosen)} />
          )
        }
      />
      {opened && <EntrySheet entry={opened} actor={actorOf(opened)} onClose={() => void setOpen(null)} />}
    </Screen>
  );
}
