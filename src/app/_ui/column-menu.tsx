"use client";

import { Button, Checkbox, Popover, Stack } from "@mantine/core";

interface ColumnMenuProps {
  readonly columns: readonly { readonly id: string; readonly header: string }[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Back to the columns that are shown if nobody chose; null while they are. */
  readonly onReset: (() => void) | null;
}

/** Chooses the columns of a table. They stay in the table's own order. */
export function ColumnMenu({ columns, chosen, onChange, onReset }: ColumnMenuProps) {
  const toggled = (id: string) =>
    columns.map((one) => one.id).filter((one) => (one === id ? !chosen.includes(one) : chosen.includes(one)));
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button size="xs" variant="default">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns.map(({ id, header }) => (
            <Checkbox
              key={id}
              size="xs"
              label={header}
              checked={chosen.includes(id)}
              onChange={() => onChange(toggled(id))}
            />
          ))}
          <Button size="xs" variant="subtle" disabled={onReset === null} onClick={() => onReset?.()}>
            Default columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
