import { NativeSelect, Select } from "@mantine/core";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import { NumberField } from "#app/_ui/number-field.tsx";
import { countries, countryName } from "#contract/places.ts";
import type { Answer, Draft } from "./draft.ts";

export interface FactFieldsProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<Draft>) => void;
}

export const answers: readonly { readonly value: Answer; readonly label: string }[] = [
  { value: "no", label: "No" },
  { value: "yes", label: "Yes" },
  { value: "unknown", label: "Unknown" },
];

/** By name; the code can be searched too. */
export const countryChoices = countries()
  .map((code) => ({ value: code, label: `${countryName(code)} (${code})` }))
  .toSorted((a, b) => a.label.localeCompare(b.label, "en"));

/** What each fact means for routing rules. */
export const factTexts = {
  legalEntity: "Whom your contract is with, such as Mistral AI SAS. It is in receipts and evidence packages.",
  country: "Where inference runs. If unknown, rules about data residency exclude the provider.",
  euOwned: "If no or unknown, rules that require EU ownership exclude the provider.",
  training: "If yes or unknown, rules against training exclude the provider.",
  retention: "How long prompts are stored. If unknown, rules about retention exclude the provider.",
};

/** What routing rules ask of the provider. What is unknown counts as the worst case. */
export function FactFields({ draft, errors, onChange }: FactFieldsProps) {
  const answer = (label: string, field: "training" | "euOwned") => (
    <NativeSelect
      label={label}
      description={factTexts[field]}
      value={draft[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.value as Answer })}
      data={[...answers]}
    />
  );
  return (
    <>
      <Select
        label="Country"
        description={factTexts.country}
        placeholder="Unknown"
        searchable
        clearable
        data={countryChoices}
        nothingFoundMessage="No such country"
        error={errors.country}
        value={draft.country || null}
        onChange={(country) => onChange({ country: country ?? "" })}
      />
      {answer("EU-owned", "euOwned")}
      {answer("Trains on prompts", "training")}
      <NumberField
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
