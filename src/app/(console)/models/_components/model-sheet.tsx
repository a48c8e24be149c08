"use client";

import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatDay } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { ScrollRegion } from "#app/_ui/scroll-region.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Table } from "#app/_ui/table.tsx";
import { comparedRows } from "./compared-rows.tsx";
import { RetirementNotice } from "./retirement-notice.tsx";

/** All endpoints of a model side by side: those that can be used first, each the cheapest first. */
export function ModelSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const found = useQuery(useTRPC().catalogue.model.queryOptions({ id }));
  const { data } = found;
  return (
    <Sheet
      onClose={onClose}
      size="min(1080px, 100vw)"
      title={
        <Group gap={4} wrap="nowrap" component="span">
          {id} <CopyButton value={id} label="Copy model ID" />
        </Group>
      }
    >
      {found.isError && <FailureAlert error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={480} />}
      {data && (
        <Stack gap="md">
          <RetirementNotice model={data.model} />
          {data.model.description && <Text size="sm">{data.model.description}</Text>}
          <ScrollRegion label="Endpoints side by side">
            <Table verticalSpacing={6} horizontalSpacing="sm" miw={180 + data.endpoints.length * 190}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Td w={180}>
                    <Text size="sm" c="dimmed">
                      {data.endpoints.length} {data.endpoints.length === 1 ? "endpoint" : "endpoints"}
                    </Text>
                  </Table.Td>
                  {data.endpoints.map(({ id: endpoint, provider_name, tag }) => (
                    <Table.Th key={endpoint} scope="col">
                      {provider_name}
                      <Text size="xs" c="dimmed" fw={400}>
                        {tag}
                      </Text>
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {comparedRows.map(({ label, cell }) => (
                  <Table.Tr key={label}>
                    <Table.Th
                      scope="row"
                      fw={400}
                      c="dimmed"
                      bg="var(--mantine-color-body)"
                      style={{ position: "sticky", left: 0, verticalAlign: "top" }}
                    >
                      {label}
                    </Table.Th>
                    {data.endpoints.map((endpoint) => (
                      <Table.Td key={endpoint.id} style={{ verticalAlign: "top" }}>
                        {cell(endpoint)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollRegion>
          <Text size="xs" c="dimmed">
            Prices exclude VAT and are per million tokens unless stated otherwise. Exchange rate of{" "}
            {formatDay(data.rate.date)}: {data.rate.usd_per_eur} USD per EUR.
          </Text>
        </Stack>
      )}
    </Sheet>
  );
}
