import { Box, Text } from "@mantine/core";
import { formatCount } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { RefusedRequest } from "#contract/refused-request.ts";

type Line = Pick<
  RefusedRequest,
  "id" | "message" | "model" | "operation" | "error_code" | "param" | "api_key_id" | "count" | "last_at"
>;

/** The columns of grouped refusals. On a phone: reason, model and time. */
export const refusedColumns = (nowMs: number, nameOfKey: (id: string) => string): readonly Column<Line>[] => [
  {
    id: "message",
    header: "Reason",
    cell: ({ message, model, operation, error_code, last_at }) => (
      <>
        <Text component="span" size="sm" fw={500} display="block" lineClamp={2}>
          {message}
        </Text>
        <Text component="span" size="xs" c="dimmed" display="block">
          {model ?? operation}
        </Text>
        <Box component="span" hiddenFrom="sm">
          <Status tone="bad">{error_code}</Status>
          {" · "}
          <RelativeTime iso={last_at} nowMs={nowMs} />
        </Box>
      </>
    ),
  },
  {
    id: "error",
    header: "Error",
    visibleFrom: "sm",
    cell: ({ error_code, param }) => (
      <>
        <Status tone="bad">{error_code}</Status>
        {param && (
          <Text size="xs" c="dimmed">
            {param}
          </Text>
        )}
      </>
    ),
  },
  { id: "key", header: "Key", visibleFrom: "md", cell: ({ api_key_id: id }) => nameOfKey(id) },
  {
    id: "count",
    header: "Count",
    align: "right",
    visibleFrom: "sm",
    cell: ({ count }) => formatCount(count),
  },
  {
    id: "last",
    header: "Last seen",
    visibleFrom: "sm",
    cell: ({ last_at }) => <RelativeTime iso={last_at} nowMs={nowMs} />,
  },
];
