"use client";

import { Box, Center, Code, Group, Table, Text } from "@mantine/core";
import type { Overview } from "#contract/overview.ts";
import { formatCount, formatDuration, formatEur, formatEurShort } from "../../../_lib/format.ts";
import { useNow } from "../../../_lib/use-now.ts";
import { CopyButton } from "../../../_ui/copy-button.tsx";
import { Panel } from "../../../_ui/panel.tsx";
import { RelativeTime } from "../../../_ui/relative-time.tsx";
import classes from "./latest-panel.module.css";
import { emptyHeight } from "./sizes.ts";

type Generation = Overview["latest"][number];

/** Ids made at nearly the same time differ at their end only. */
const shortId = (id: string) => `…${id.slice(-8)}`;

function Row({ generation, nowMs }: { generation: Generation; nowMs: number }) {
  const {
    id,
    started_at,
    model,
    provider,
    status,
    error_code,
    tokens_in,
    tokens_out,
    cost_eur,
    duration_ms,
  } = generation;
  const state = (
    <Text component="span" size="sm" className={classes.state} title={error_code ?? undefined}>
      <span className={classes.dot} data-failed={error_code !== null || undefined} />
      {status}
    </Text>
  );
  return (
    <Table.Tr>
      <Table.Td visibleFrom="sm">
        <RelativeTime iso={started_at} nowMs={nowMs} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" fw={500} className={classes.model}>
          {model}
        </Text>
        <Text size="xs" c="dimmed">
          {provider ?? "no provider"}
        </Text>
        <Box hiddenFrom="sm">
          <RelativeTime iso={started_at} nowMs={nowMs} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{state}</Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {formatCount(tokens_in)} / {formatCount(tokens_out)}
      </Table.Td>
      <Table.Td ta="right" title={formatEur(cost_eur)}>
        <Box hiddenFrom="sm" mb={4}>
          {state}
        </Box>
        {formatEurShort(cost_eur)}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {formatDuration(duration_ms)}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <Code title={id}>{shortId(id)}</Code>
          <CopyButton value={id} label="Copy generation id" />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** The ten newest generations. */
export function LatestPanel({ latest }: Pick<Overview, "latest">) {
  const nowMs = useNow(10_000);
  return (
    <Panel title="Latest generations">
      {latest.length === 0 ? (
        <Center h={emptyHeight}>
          <Text c="dimmed">Nothing yet.</Text>
        </Center>
      ) : (
        <Table verticalSpacing="xs" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" visibleFrom="sm">
                Time
              </Table.Th>
              <Table.Th scope="col">Model</Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                Status
              </Table.Th>
              <Table.Th scope="col" ta="right" visibleFrom="sm">
                Tokens in / out
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Cost
              </Table.Th>
              <Table.Th scope="col" ta="right" visibleFrom="sm">
                Duration
              </Table.Th>
              <Table.Th scope="col" ta="right" visibleFrom="md">
                Id
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {latest.map((generation) => (
              <Row key={generation.id} generation={generation} nowMs={nowMs} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
