import { Group, Switch } from "@mantine/core";
import { NumberField } from "#app/_ui/number-field.tsx";
import { type Draft, operations } from "./draft.ts";
import type { ChangeDraft } from "./use-draft.ts";

const numberOr = (value: string | number): number | null => (typeof value === "number" ? value : null);

/** How the model should answer: nothing of it applies to reranking. */
export function AnswerFields({ draft, change }: { draft: Draft; change: ChangeDraft }) {
  const { limit, streams } = operations[draft.operation];
  return (
    <>
      {limit !== null && (
        <Group grow align="flex-start">
          <NumberField
            label="Temperature"
            placeholder="Default"
            min={0}
            max={2}
            step={0.1}
            decimalScale={2}
            value={draft.temperature ?? ""}
            onChange={(value) => change({ temperature: numberOr(value) })}
          />
          <NumberField
            label="Max tokens"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            value={draft.max_tokens ?? ""}
            onChange={(value) => change({ max_tokens: numberOr(value) })}
          />
        </Group>
      )}
      {streams && (
        <Switch
          label="Stream the answer"
          checked={draft.stream}
          onChange={({ currentTarget }) => change({ stream: currentTarget.checked })}
        />
      )}
    </>
  );
}
