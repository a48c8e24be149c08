"use client";

import { ActionIcon, Group, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { DownIcon, UpIcon } from "./icons.tsx";

interface RowStepsProps {
  /** The rows of the table, in its order. */
  readonly ids: readonly string[];
  readonly openId: string;
  readonly onOpen: (id: string) => void;
}

/** Goes to the previous or next row of a table while one is open in a sheet: by button, or with j and k. */
export function RowSteps({ ids, openId, onOpen }: RowStepsProps) {
  const at = ids.indexOf(openId);
  const [before, after] = at === -1 ? [] : [ids[at - 1], ids[at + 1]];
  const go = (id: string | undefined) => {
    if (id !== undefined) onOpen(id);
  };
  useHotkeys([
    ["j", () => go(after)],
    ["k", () => go(before)],
  ]);
  if (at === -1 || ids.length === 1) return null;
  const steps = [
    { label: "Previous row", keys: "k", id: before, Icon: UpIcon },
    { label: "Next row", keys: "j", id: after, Icon: DownIcon },
  ];
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="xs" c="dimmed" role="status" style={{ whiteSpace: "nowrap" }}>
        {at + 1} of {ids.length}
      </Text>
      {steps.map(({ label, keys, id, Icon }) => (
        // Not `disabled`: the button would lose the focus at the last row.
        <ActionIcon
          key={label}
          variant="subtle"
          color="gray"
          size="md"
          aria-label={label}
          aria-keyshortcuts={keys}
          aria-disabled={id === undefined}
          data-disabled={id === undefined || undefined}
          title={`${label} (${keys})`}
          onClick={() => go(id)}
        >
          <Icon />
        </ActionIcon>
      ))}
    </Group>
  );
}
