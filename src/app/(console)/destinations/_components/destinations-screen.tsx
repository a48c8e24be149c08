"use client";

import { Button, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { formatShare } from "#app/_lib/format.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Monogram } from "#app/_ui/monogram.tsx";
import { part } from "#app/_ui/part.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { Destination, DestinationType } from "#contract/destination.ts";
import { DestinationHealth } from "./health.tsx";

/** Sheets load when they are asked for. */
const AddSheet = part(() => import("./add-sheet.tsx").then(({ AddSheet }) => AddSheet));
const DestinationSheet = part(() =>
  import("./destination-sheet.tsx").then(({ DestinationSheet }) => DestinationSheet),
);

/** `?add=choose` shows the gallery, any other value is the type being set up. */
const gallery = "choose";
const refreshMs = 30_000;

const columnsOf = (
  types: readonly DestinationType[],
  nowMs: number,
  setEnabled: ((destination: Destination, enabled: boolean) => void) | null,
): Column<Destination>[] => [
  {
    id: "name",
    header: "Name",
    cell: ({ name, type }) => {
      const tool = types.find((one) => one.type === type)?.name ?? type;
      return <TitleCell title={name} detail={tool} mark={<Monogram name={tool} seed={type} />} />;
    },
  },
  { id: "health", header: "Status", cell: ({ health }) => <DestinationHealth health={health} /> },
  {
    id: "what",
    header: "Receives",
    visibleFrom: "sm",
    cell: ({ privacy_mode: isPrivate, sampling_rate: rate, api_key_filter: keys }) => (
      <Text size="sm">
        {formatShare(Number(rate))} of requests
        {keys && ` of ${keys.length === 1 ? "one key" : `${keys.length} keys`}`}
        {isPrivate ? ", without content" : ", with content"}
      </Text>
    ),
  },
  {
    id: "delivered",
    header: "Last delivery",
    visibleFrom: "md",
    cell: ({ health: { last_delivered_at: at } }) => (at ? <RelativeTime iso={at} nowMs={nowMs} /> : "Never"),
  },
  ...(setEnabled
    ? [
        {
          id: "enabled",
          header: "On",
          align: "right" as const,
          cell: (destination: Destination) => (
            <Switch
              aria-label={`Send to ${destination.name}`}
              checked={destination.enabled}
              onChange={(event) => setEnabled(destination, event.currentTarget.checked)}
            />
          ),
        },
      ]
    : []),
];

export function DestinationsScreen() {
  const trpc = useTRPC();
  const destinations = useQuery(trpc.destinations.list.queryOptions({}));
  const types = useQuery(trpc.destinations.types.queryOptions({}, { staleTime: Number.POSITIVE_INFINITY }));
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const nowMs = useNow(refreshMs);
  const client = useTRPCClient();
  const setEnabled = useEnabledSwitch(trpc.destinations.list.queryKey({}), (change) =>
    client.destinations.update.mutate(change),
  );
  const mayWrite = useMay("broadcast:write");
  const known = types.data?.data ?? [];
  const opened = destinations.data?.data.find(({ id }) => id === open);
  const typeOf = (name: string) => known.find(({ type }) => type === name);
  const added = add === null ? undefined : typeOf(add);
  const openedType = opened && typeOf(opened.type);
  const create = mayWrite && (
    <Button size="xs" onClick={() => void setAdd(gallery)}>
      Add destination
    </Button>
  );
  return (
    <Screen path="/destinations" actions={create}>
      <DataTable
        label="Destinations"
        columns={columnsOf(known, nowMs, mayWrite ? setEnabled : null)}
        rows={destinations.data?.data}
        rowId={({ id }) => id}
        onOpen={({ id }) => void setOpen(id)}
        selectedId={open}
        error={destinations.error}
        onRetry={() => void destinations.refetch()}
        skeletonRows={4}
        empty={
          <EmptyState
            title="No destinations yet"
            text="Connect Langfuse, an OpenTelemetry collector, a bucket or another tool. Traces are sent after the response and retried until delivered. Privacy mode leaves out prompts and answers."
          >
            {create}
          </EmptyState>
        }
      />
      {(added || add === gallery) && mayWrite && (
        <AddSheet
          types={known}
          type={added}
          onPick={(type) => void setAdd(type)}
          onClose={() => void setAdd(null)}
        />
      )}
      {opened && openedType && (
        <DestinationSheet destination={opened} type={openedType} onClose={() => void setOpen(null)} />
      )}
    </Screen>
  );
}
