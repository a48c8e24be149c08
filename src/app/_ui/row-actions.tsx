import { Button, Group } from "@mantine/core";

interface RowAction {
  /** Text of the button: `Delete`. */
  readonly verb: string;
  /** The same with what it is done to, for those who do not see the row: `Delete Research`. */
  readonly label: string;
  readonly onClick: () => void;
}

/** What can be done with a row, at its end; what may not be done is `false`. */
export function RowActions({ actions }: { actions: readonly (RowAction | false)[] }) {
  return (
    <Group gap="xs" justify="flex-end">
      {actions.map(
        (action) =>
          action && (
            <Button
              key={action.verb}
              size="xs"
              variant="default"
              onClick={action.onClick}
              aria-label={action.label}
            >
              {action.verb}
            </Button>
          ),
      )}
    </Group>
  );
}
