import { Button, Group, SegmentedControl } from "@mantine/core";
import { type Draft, isOperation, operations } from "./draft.ts";
import type { ChangeDraft } from "./use-draft.ts";

interface OperationBarProps {
  readonly draft: Draft;
  readonly change: ChangeDraft;
  readonly onReset: () => void;
}

const operationChoices = Object.entries(operations).map(([value, { label }]) => ({ value, label }));

/** Which operation is tried, and with one model or two. */
export function OperationBar({ draft: { operation, models }, change, onReset }: OperationBarProps) {
  const single = models.length === 1;
  return (
    <Group justify="space-between">
      <SegmentedControl
        data={operationChoices}
        value={operation}
        onChange={(chosen) => {
          if (!isOperation(chosen)) return;
          change({ operation: chosen });
          onReset();
        }}
        aria-label="Operation"
      />
      <Button
        variant="subtle"
        size="xs"
        onClick={() => change({ models: single ? [...models, ""] : models.slice(0, 1) })}
      >
        {single ? "Compare with a second model" : "Back to one model"}
      </Button>
    </Group>
  );
}
