"use client";

import { Code, Group, Stack, Text } from "@mantine/core";
import { changedFields, type ListedEntry } from "#app/_lib/changed-fields.ts";
import { formatAbsolute } from "#app/_lib/format.ts";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Table } from "#app/_ui/table.tsx";
import { SaveProof } from "./save-evidence.tsx";

interface EntrySheetProps {
  readonly entry: ListedEntry;
  readonly actor: string;
  readonly onClose: () => void;
}

const side = (text: string | null) =>
  text === null ? (
    <Text size="sm" c="dimmed">
      –
    </Text>
  ) : (
    text
  );

/** One change: what was before and after, by whom, from where, and its place in the chain. */
export function EntrySheet({ entry, actor, onClose }: EntrySheetProps) {
  const fields = changedFields(entry.before, entry.after);
  return (
    <Sheet title={entry.action} onClose={onClose}>
      <Stack gap="lg">
        <Facts
          label="Change"
          rows={[
            ["Time", formatAbsolute(entry.occurred_at)],
            ["Actor", actor],
            ["Object", `${entry.subject_type.replaceAll("_", " ")} ${entry.subject_id}`],
            ["IP address", entry.ip_address],
            [
              "Request",
              entry.request_id && (
                <Group key="request" gap={4} wrap="nowrap">
                  <Code>{entry.request_id}</Code>
                  <CopyButton value={entry.request_id} label="Copy request ID" />
                </Group>
              ),
            ],
            ["Entry", entry.position],
            ["Hash", <Code key="hash">{entry.hash}</Code>],
          ]}
        />
        <Group gap="sm">
          <SaveProof position={entry.position} />
          <Text size="sm" c="dimmed">
            Proves offline that the log has this entry.
          </Text>
        </Group>
        {fields.length === 0 ? (
          <Text size="sm" c="dimmed">
            No fields were changed.
          </Text>
        ) : (
          <Table aria-label="Before and after" layout="fixed" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Field</Table.Th>
                <Table.Th scope="col">Before</Table.Th>
                <Table.Th scope="col">After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody style={{ overflowWrap: "anywhere" }}>
              {fields.map(({ field, before, after }) => (
                <Table.Tr key={field}>
                  <Table.Th scope="row" fw={400}>
                    {field.replaceAll("_", " ")}
                  </Table.Th>
                  <Table.Td>{side(before)}</Table.Td>
                  <Table.Td>{side(after)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Sheet>
  );
}
