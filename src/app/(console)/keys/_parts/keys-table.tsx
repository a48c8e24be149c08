"use client";

import { Button, Center, Code, Table, Text } from "@mantine/core";
import type { ApiKey } from "#contract/key.ts";
import { formatAbsolute, formatEur, formatEurShort } from "../../../_lib/format.ts";
import { useNow } from "../../../_lib/use-now.ts";
import { Panel } from "../../../_ui/panel.tsx";
import { RelativeTime } from "../../../_ui/relative-time.tsx";

interface KeysTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

/** Amounts come as JSON numbers; their text must not turn into `1e-7`. */
const decimal = (amount: number) => amount.toFixed(12);

const resets = { daily: "a day", weekly: "a week", monthly: "a month" } as const;

function limitText({ limit, limit_reset }: ApiKey): string {
  if (limit === null) return "no limit";
  return `of ${formatEur(decimal(limit))}${limit_reset ? ` ${resets[limit_reset]}` : ""}`;
}

function Row({ apiKey, nowMs, onRevoke }: { apiKey: ApiKey; nowMs: number; onRevoke: () => void }) {
  const { name, label, usage, last_used, expires_at } = apiKey;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <Code>{label}</Code>
      </Table.Td>
      <Table.Td ta="right" title={formatEur(decimal(usage))}>
        {formatEurShort(decimal(usage))}
        <Text size="xs" c="dimmed">
          {limitText(apiKey)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {last_used ? <RelativeTime iso={last_used} nowMs={nowMs} /> : <Text size="sm">never</Text>}
      </Table.Td>
      <Table.Td visibleFrom="md">{expires_at ? formatAbsolute(expires_at) : "never"}</Table.Td>
      <Table.Td ta="right">
        <Button size="xs" variant="default" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

export function KeysTable({ keys, onRevoke }: KeysTableProps) {
  const nowMs = useNow(10_000);
  return (
    <Panel title="Active keys">
      {keys.length === 0 ? (
        <Center h={160}>
          <Text c="dimmed">No key yet. Create one to send the first request.</Text>
        </Center>
      ) : (
        <Table verticalSpacing="xs" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Name</Table.Th>
              <Table.Th scope="col" ta="right">
                Used
              </Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                Last used
              </Table.Th>
              <Table.Th scope="col" visibleFrom="md">
                Ends
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Action
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((apiKey) => (
              <Row key={apiKey.id} apiKey={apiKey} nowMs={nowMs} onRevoke={() => onRevoke(apiKey)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
