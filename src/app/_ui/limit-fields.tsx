import { NativeSelect, SimpleGrid } from "@mantine/core";
import type { FieldErrors } from "../_lib/field-errors.ts";
import { type LimitDraft, resetChoices } from "../_lib/key-limits.ts";
import { EuroField } from "./text-fields.tsx";

interface LimitFieldsProps {
  readonly value: LimitDraft;
  readonly onChange: (value: LimitDraft) => void;
  readonly description?: string;
  readonly errors?: FieldErrors;
}

/** The spending limit, and how often it resets. */
export function LimitFields({
  value,
  onChange,
  description = "Leave empty for no limit",
  errors = {},
}: LimitFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
      <EuroField
        label="Spending limit in euros"
        description={description}
        value={value.limit}
        onChange={(event) => onChange({ ...value, limit: event.currentTarget.value })}
        error={errors.limit}
      />
      <NativeSelect
        label="Limit resets"
        data={resetChoices}
        value={value.limit_reset ?? ""}
        onChange={({ currentTarget }) =>
          onChange({
            ...value,
            limit_reset: resetChoices.find((choice) => choice.value === currentTarget.value)?.value || null,
          })
        }
      />
    </SimpleGrid>
  );
}
