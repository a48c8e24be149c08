import { Alert, Stack } from "@mantine/core";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import type { DataFlowReport } from "#contract/data-flows.ts";

/** Requests that one of the endpoints in these areas received; a request that was sent to two counts twice. */
const sentTo = ({ recipients }: DataFlowReport, areas: readonly string[]): number =>
  recipients
    .filter(({ area }) => areas.includes(area))
    .reduce((sum, { requests, unreached }) => sum + requests - unreached, 0);

const places = [
  ["Sent to the EU or EEA", "eu", "eea"],
  ["Sent to countries with an adequacy decision", "adequate"],
  ["Sent to third countries", "third_country"],
  ["Sent to unknown places", "unknown"],
] as const;

const countOrNull = (count: number): string | null => (count > 0 ? formatCount(count) : null);

/** The figures of a report, and what it cannot know. */
export function FlowSummary({ report }: { report: DataFlowReport }) {
  const { requests, unsent, unrecorded, records_from, recipients, stored, first_at, last_at } = report;
  return (
    <Stack gap="md">
      {records_from && (
        <Alert color="yellow" title="The period is not complete">
          Requests before {formatAbsolute(records_from)} are not counted, because their records were deleted.
        </Alert>
      )}
      {unrecorded > 0 && (
        <Alert color="yellow" title="Interrupted requests">
          {formatCount(unrecorded)} requests of this period were interrupted before their provider was
          recorded. One may have received them; filters by provider or place cannot find them.
        </Alert>
      )}
      <Panel title="Summary">
        <Facts
          label="Summary"
          rows={[
            ["Requests", formatCount(requests)],
            [
              "First and last",
              first_at && last_at && `${formatAbsolute(first_at)} – ${formatAbsolute(last_at)}`,
            ],
            ["Providers", formatCount(new Set(recipients.map(({ provider }) => provider)).size)],
            ...places.map(([label, ...areas]) => [label, countOrNull(sentTo(report, areas))] as const),
            ["Received by no provider", countOrNull(unsent)],
            [
              "Still stored here",
              `${formatCount(stored.responses)} responses, ${formatCount(stored.chat_completions)} chat completions`,
            ],
          ]}
        />
      </Panel>
    </Stack>
  );
}
