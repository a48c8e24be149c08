"use client";

import { Group, Kbd, Text } from "@mantine/core";
import { Dialog } from "./dialog.tsx";
import { Table } from "./table.tsx";

const shortcuts = [
  { keys: ["⌘", "K"], label: "Go to a screen, create, change the theme" },
  { keys: ["/"], label: "Search on this screen" },
  { keys: ["j"], label: "Next row, also while a sheet is open" },
  { keys: ["k"], label: "Previous row" },
  { keys: ["Enter"], label: "Open the row" },
  { keys: ["Esc"], label: "Close what is open" },
  { keys: ["?"], label: "Show shortcuts" },
];

/** The keys that work on every screen. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Table>
        <Table.Tbody>
          {shortcuts.map(({ keys, label }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400}>
                <Text size="sm">{label}</Text>
              </Table.Th>
              <Table.Td>
                <Group gap={4} justify="flex-end">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
