"use client";

import { Anchor, Box, Center, Text } from "@mantine/core";
import Link from "next/link";
import { formatCount, formatDuration } from "#app/_lib/format.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { GenerationStatus } from "#app/_ui/generation-status.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { GenerationLine } from "#contract/generation.ts";
import { emptyHeight } from "./sizes.ts";

interface GenerationsPanelProps {
  readonly title: string;
  readonly lines: readonly GenerationLine[];
  readonly empty: string;
  /** The logs with all of them. */
  readonly href: string;
}

const columns = [
  { header: "Model" },
  { header: "Time", visibleFrom: "sm" },
  { header: "Status" },
  { header: "Tokens in / out", align: "right", visibleFrom: "sm" },
  { header: "Cost", align: "right" },
  { header: "Duration", align: "right", visibleFrom: "sm" },
] as const;

const GenerationRow = ({ line, nowMs }: { line: GenerationLine; nowMs: number }) => (
  <Table.Tr>
    <Table.Td style={{ overflowWrap: "anywhere" }}>
      <Anchor size="sm" fw={500} component={Link} href={`/logs?open=${line.id}`}>
        {line.model}
      </Anchor>
      <Text size="xs" c="dimmed">
        {line.provider ?? "no provider"}
      </Text>
      <Box hiddenFrom="sm">
        <RelativeTime iso={line.started_at} nowMs={nowMs} />
      </Box>
    </Table.Td>
    <Table.Td visibleFrom="sm">
      <RelativeTime iso={line.started_at} nowMs={nowMs} />
    </Table.Td>
    <Table.Td>
      <GenerationStatus {...line} />
      {line.error_code && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {line.error_code}
        </Text>
      )}
    </Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      {formatCount(line.tokens_in)} / {formatCount(line.tokens_out)}
    </Table.Td>
    <Table.Td ta="right">
      <Eur value={line.cost_eur} />
    </Table.Td>
    <Table.Td ta="right" visibleFrom="sm">
      {formatDuration(line.duration_ms)}
    </Table.Td>
  </Table.Tr>
);

/** Some generations in brief, each with a link to the log. */
export function GenerationsPanel({ title, lines, empty, href }: GenerationsPanelProps) {
  const nowMs = useNow(10_000);
  const all = (
    <Anchor size="sm" component={Link} href={href}>
      View all
    </Anchor>
  );
  return (
    <Panel title={title} aside={lines.length > 0 && all}>
      {lines.length === 0 ? (
        <Center h={emptyHeight}>
          <Text c="dimmed">{empty}</Text>
        </Center>
      ) : (
        <Table verticalSpacing="xs" horizontalSpacing="xs" aria-label={title}>
          <ColumnHeads columns={columns} />
          <Table.Tbody>
            {lines.map((line) => (
              <GenerationRow key={line.id} line={line} nowMs={nowMs} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
