"use client";

import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { deliveryContentLabels } from "#app/_lib/delivery-words.ts";
import { formatDuration } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { Delivery, Destination } from "#contract/destination.ts";

const shownMax = 50;
const refreshMs = 5_000;

const statuses: Record<Delivery["status"], { tone: Tone; label: string }> = {
  pending: { tone: "neutral", label: "Pending" },
  delivered: { tone: "good", label: "Delivered" },
  failed: { tone: "bad", label: "Failed" },
  dropped: { tone: "warning", label: "Dropped" },
};

const retryText = (inMs: number): string =>
  inMs <= 0 ? "Retrying now" : `Retrying in ${formatDuration(inMs)}`;

const columnsOf = (
  nowMs: number,
  retry: ((delivery: Delivery) => void) | null,
): readonly Column<Delivery>[] => [
  {
    id: "created",
    header: "Request",
    cell: ({ generation_id: id, created_at: at }) => (
      <Anchor component={Link} href={`/logs?open=${id}`} size="sm">
        <RelativeTime iso={at} nowMs={nowMs} />
      </Anchor>
    ),
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status, reason, response_code: code, next_attempt_at: next }) => (
      <>
        <Status tone={statuses[status].tone}>{statuses[status].label}</Status>
        {(reason || code) && (
          <Text size="xs" c="dimmed">
            {[code && `HTTP ${code}`, reason].filter(Boolean).join(" · ")}
          </Text>
        )}
        {status === "pending" && next && (
          <Text size="xs" c="dimmed">
            {retryText(Date.parse(next) - nowMs)}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "content",
    header: "Content",
    visibleFrom: "sm",
    cell: ({ content }) => <Text size="sm">{deliveryContentLabels[content]}</Text>,
  },
  { id: "attempts", header: "Attempts", align: "right", visibleFrom: "sm", cell: ({ attempts }) => attempts },
  {
    id: "retry",
    header: "",
    align: "right",
    cell: (delivery) =>
      retry &&
      delivery.status === "failed" && (
        <Button size="compact-xs" variant="default" onClick={() => retry(delivery)}>
          Retry
        </Button>
      ),
  },
];

/** The newest deliveries of a destination, as they go. */
export function DeliveriesPanel({ destination: { id, health } }: { destination: Destination }) {
  const nowMs = useNow(refreshMs);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const mayRetry = useMay("broadcast:write");
  const deliveries = useQuery(
    trpc.destinations.deliveries.queryOptions(
      { id, limit: String(shownMax) },
      { refetchInterval: refreshMs },
    ),
  );
  const retry = useMutation(
    trpc.destinations.retryDelivery.mutationOptions({
      onSuccess: () => toastDone("The delivery will be retried."),
      onError: toastFailure,
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );
  return (
    <Stack>
      {health.last_error && health.state !== "disabled" && (
        <Alert color={health.state === "active" ? "yellow" : "red"} title="Last error">
          {health.stopped_reason ?? health.last_error}
        </Alert>
      )}
      {health.dropped > 0 && (
        <Text size="sm" c="dimmed">
          {health.dropped} traces were dropped because the queue was full.
        </Text>
      )}
      <DataTable
        label="Deliveries"
        columns={columnsOf(
          nowMs,
          mayRetry ? (delivery) => retry.mutate({ id, delivery_id: delivery.id }) : null,
        )}
        rows={deliveries.data?.data}
        rowId={(delivery) => delivery.id}
        error={deliveries.error}
        onRetry={() => void deliveries.refetch()}
        skeletonRows={5}
        empty={
          <EmptyState title="No deliveries yet" text="Traces of new requests appear here within seconds." />
        }
      />
    </Stack>
  );
}
