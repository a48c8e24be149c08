"use client";

import { Code, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { RetentionRow } from "#contract/organisation.ts";

const words: Record<RetentionRow["what"], { name: string; note: string }> = {
  generations: {
    name: "Requests",
    note: "User, model, route, tokens and cost. No prompts or answers",
  },
  refusals: { name: "Refused requests", note: "Requested model and reason" },
  ledger: { name: "Ledger", note: "All grants, charges and corrections" },
  audit_log: { name: "Audit log", note: "All changes of settings" },
  responses: {
    name: "Responses and conversations",
    note: "Prompts and answers of stored responses, stored chat completions and conversations, encrypted",
  },
  deliveries_done: {
    name: "Delivered traces",
    note: "Delivery status. The content is deleted on delivery",
  },
  deliveries_failed: { name: "Failed traces", note: "Encrypted, for retries" },
  idempotency: { name: "Idempotent responses", note: "Responses to requests with an Idempotency-Key" },
};

const daysText = (days: number | null): string =>
  days === null ? "Forever" : days === 1 ? "1 day" : `${days} days`;

/** Data retention for how long. Whoever runs the installation decides it, not this screen. */
export function RetentionPanel() {
  const retention = useQuery(useTRPC().organisation.retention.queryOptions());
  return (
    <Panel title="Data retention">
      {retention.isError && <FailureAlert error={retention.error} onRetry={() => void retention.refetch()} />}
      {retention.isPending && <Skeleton h={260} />}
      {retention.data && (
        <Table aria-label="Data retention" verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Data</Table.Th>
              <Table.Th scope="col">Retention</Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                Setting
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {retention.data.map(({ what, days, setting }) => (
              <Table.Tr key={what}>
                <Table.Th scope="row" fw={400}>
                  {words[what].name}
                  <Text size="xs" c="dimmed">
                    {words[what].note}
                  </Text>
                </Table.Th>
                <Table.Td style={{ whiteSpace: "nowrap" }}>{daysText(days)}</Table.Td>
                <Table.Td visibleFrom="sm">{setting ? <Code>{setting}</Code> : "Portolan"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
