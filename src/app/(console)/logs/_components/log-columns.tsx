import { Box, Text } from "@mantine/core";
import { formatCount, formatDuration, formatEur, formatEurShort } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { GenerationStatus } from "#app/_ui/generation-status.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { GenerationLine } from "#contract/generation.ts";

/** The columns of the log. On a phone: model and provider with the time, and status with the cost. */
export const logColumns = (nowMs: number): readonly Column<GenerationLine>[] => [
  {
    id: "model",
    header: "Model",
    cell: ({ model, provider, attempts, started_at }) => (
      <>
        <Text component="span" size="sm" fw={500} display="block">
          {model}
        </Text>
        <Text component="span" size="xs" c="dimmed" display="block">
          {provider ?? "no provider"}
          {attempts > 1 && ` after ${attempts} attempts`}
        </Text>
        <Box component="span" hiddenFrom="sm">
          <RelativeTime iso={started_at} nowMs={nowMs} />
        </Box>
      </>
    ),
  },
  {
    id: "time",
    header: "Time",
    visibleFrom: "sm",
    cell: ({ started_at }) => <RelativeTime iso={started_at} nowMs={nowMs} />,
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status, error_code, cost_eur }) => (
      <>
        <GenerationStatus status={status} error_code={error_code} />
        {error_code && (
          <Text size="xs" c="dimmed">
            {error_code}
          </Text>
        )}
        <Text size="sm" hiddenFrom="sm">
          {formatEurShort(cost_eur)}
        </Text>
      </>
    ),
  },
  {
    id: "tokens",
    header: "Tokens in / out",
    align: "right",
    visibleFrom: "md",
    cell: ({ tokens_in, tokens_out }) => `${formatCount(tokens_in)} / ${formatCount(tokens_out)}`,
  },
  {
    id: "cost",
    header: "Cost",
    align: "right",
    visibleFrom: "sm",
    cell: ({ cost_eur }) => <span title={formatEur(cost_eur)}>{formatEurShort(cost_eur)}</span>,
  },
  {
    id: "duration",
    header: "First token / total",
    align: "right",
    visibleFrom: "md",
    cell: ({ latency_ms, duration_ms }) =>
      `${latency_ms === null ? "–" : formatDuration(latency_ms)} / ${formatDuration(duration_ms)}`,
  },
];
