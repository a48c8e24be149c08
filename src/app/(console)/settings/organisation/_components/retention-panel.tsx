"use client";

import { Code, Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import type { RetentionRow } from "#contract/organisation.ts";

const words: Record<RetentionRow["what"], { name: string; note: string }> = {
  generations: {
    name: "Generations",
    note: "Who asked which model, where it went, tokens and cost. No prompts",
  },
  refusals: { name: "Refused requests", note: "Which model was asked for, and why it was refused" },
  ledger: { name: "Ledger", note: "Every grant, charge and correction" },
  audit_log: { name: "Audit log", note: "Who changed what" },
  responses: {
    name: "Responses",
    note: "Prompts and answers of /responses that asked to be kept, encrypted",
  },
  deliveries_done: {
    name: "Delivered traces",
    note: "That they arrived; their content is forgotten at once",
  },
  deliveries_failed: { name: "Traces given up", note: "Encrypted, so that they can be sent again" },
  idempotency: { name: "Answers to retries", note: "For requests with an Idempotency-Key" },
};

const daysText = (days: number | null): string =>
  days === null ? "for good" : days === 1 ? "1 day" : `${days} days`;

/** What is kept for how long. Whoever runs the installation decides it, not this screen. */
export function RetentionPanel() {
  const retention = useQuery(useTRPC().organisation.retention.queryOptions());
  return (
    <Panel title="What is kept">
      {retention.isError && <FailureAlert error={retention.error} onRetry={() => void retention.refetch()} />}
      {retention.isPending && <Skeleton h={260} />}
      {retention.data && (
        <Table aria-label="What is kept" verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">What</Table.Th>
              <Table.Th scope="col">For</Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                Set by
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
