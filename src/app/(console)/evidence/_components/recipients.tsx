import { Text } from "@mantine/core";
import { formatCount } from "#app/_lib/format.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Monogram } from "#app/_ui/monogram.tsx";
import { retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { DataFlowReport, TransferArea } from "#contract/data-flows.ts";
import { placeText } from "#contract/places.ts";
import { areaLabels } from "./flow-filters.ts";

export type Recipient = DataFlowReport["recipients"][number];

const areaTones: Record<TransferArea, Tone> = {
  eu: "good",
  eea: "good",
  adequate: "neutral",
  third_country: "warning",
  unknown: "warning",
};

/** Distinguishes the same endpoint under different facts. */
export const recipientId = ({ endpoint, facts_hash }: Recipient): string => `${endpoint} ${facts_hash ?? ""}`;

/** `2 of 3 answered`, and how many it did not get. */
export const answeredText = ({ requests, answered, unreached }: Recipient): string =>
  `${formatCount(answered)} of ${formatCount(requests)} answered${
    unreached > 0 ? `, ${formatCount(unreached)} not reached` : ""
  }`;

const columnsOf = (nowMs: number): readonly Column<Recipient>[] => [
  {
    id: "provider",
    header: "Provider",
    cell: ({ name, provider, endpoint }) => (
      <TitleCell title={name} detail={endpoint} mark={<Monogram name={name} seed={provider} />} />
    ),
  },
  {
    id: "place",
    header: "Place",
    cell: ({ area, facts }) => (
      <>
        <Status tone={areaTones[area]}>{areaLabels[area]}</Status>
        {facts && (
          <Text size="xs" c="dimmed">
            {placeText(facts.place.countries, facts.place.region_groups)}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "policy",
    header: "Policy at that time",
    visibleFrom: "md",
    cell: ({ facts }) =>
      facts
        ? `${retentionText(facts.retention_days.value)}, ${trainingText(facts.training.value)}`
        : "not recorded",
  },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    cell: (row) => <TitleCell title={formatCount(row.requests)} detail={answeredText(row)} />,
  },
  {
    id: "last",
    header: "Last request",
    visibleFrom: "sm",
    cell: ({ last_at }) => <RelativeTime iso={last_at} nowMs={nowMs} />,
  },
];

interface RecipientsProps {
  readonly rows: readonly Recipient[] | undefined;
  readonly nowMs: number;
  readonly selectedId: string | null;
  readonly onOpen: (row: Recipient) => void;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onClearFilters: (() => void) | undefined;
}

/** Every endpoint that received requests; the same one twice if what was known of it changed in the period. */
export function Recipients({ nowMs, ...table }: RecipientsProps) {
  return (
    <DataTable
      {...table}
      label="Providers that received requests"
      columns={columnsOf(nowMs)}
      rowId={recipientId}
      empty={
        <EmptyState
          title="No requests in this period"
          text="Choose a longer period. Requests appear here within a second of their end."
        />
      }
    />
  );
}
