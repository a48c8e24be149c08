import { Group, NativeSelect, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import type { Answer, Draft } from "./draft.ts";

interface FactFieldsProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<Draft>) => void;
}

const answers = [
  { value: "no", label: "No" },
  { value: "yes", label: "Yes" },
  { value: "unknown", label: "Unknown" },
];

/** What routing rules ask of the provider. What is unknown counts as the worst case. */
export function FactFields({ draft, errors, onChange }: FactFieldsProps) {
  const answer = (label: string, description: string, field: "training" | "euOwned") => (
    <NativeSelect
      label={label}
      description={description}
      value={draft[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.value as Answer })}
      data={answers}
    />
  );
  return (
    <>
      <TextInput
        label="Country"
        description="Where inference runs, such as DE. If empty, rules about data residency exclude the provider."
        maxLength={2}
        error={errors.country}
        value={draft.country}
        onChange={(event) => onChange({ country: event.currentTarget.value.toUpperCase() })}
        autoComplete="off"
      />
      {answer(
        "EU-owned",
        "If no or unknown, rules that require EU ownership exclude the provider.",
        "euOwned",
      )}
      {answer(
        "Trains on prompts",
        "If yes or unknown, rules against training exclude the provider.",
        "training",
      )}
      <NumberInput
        label="Retention (days)"
        description="0: nothing is stored. Empty: unknown, so rules about retention exclude the provider."
        min={0}
        max={36_500}
        allowDecimal={false}
        value={draft.retentionDays ?? ""}
        onChange={(value) => onChange({ retentionDays: value === "" ? null : Number(value) })}
      />
    </>
  );
}

/** What requests cost. */
export function PriceFields({ draft, errors, onChange }: FactFieldsProps) {
  const amount = (label: string, field: "input" | "output") => (
    <TextInput
      label={label}
      placeholder="0.05"
      error={errors[field]}
      required
      inputMode="decimal"
      value={draft[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      autoComplete="off"
    />
  );
  return (
    <>
      <Radio.Group
        label="Price"
        value={draft.isFree ? "free" : "own"}
        onChange={(value) => onChange({ isFree: value === "free" })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="free" label="Free" />
          <Radio value="own" label="Own price in EUR per million tokens" />
        </Stack>
      </Radio.Group>
      {!draft.isFree && (
        <Group grow align="start">
          {amount("Input", "input")}
          {amount("Output", "output")}
        </Group>
      )}
    </>
  );
}
