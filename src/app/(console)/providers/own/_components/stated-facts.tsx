import { MultiSelect, NativeSelect, TextInput } from "@mantine/core";
import { NumberField } from "#app/_ui/number-field.tsx";
import type { Answer } from "./draft.ts";
import { answers, countryChoices, factTexts } from "./fact-fields.tsx";
import type { ProviderFacts } from "./provider-facts.ts";

interface StatedFactsProps {
  readonly facts: ProviderFacts;
  /** What applies where nothing is stated: `As in the catalogue`. */
  readonly unstated: string;
  /** What applies now, by fact, if the catalogue has the provider. */
  readonly current?: Partial<Record<keyof ProviderFacts, string>>;
  readonly readOnly?: boolean;
  readonly onChange: (change: Partial<ProviderFacts>) => void;
}

const isAnswer = (text: string): text is Answer => answers.some(({ value }) => value === text);

/** The facts that an entry states of a provider, each of which can be left out. */
export function StatedFacts({ facts, unstated, current = {}, readOnly = false, onChange }: StatedFactsProps) {
  const nothing = { value: "", label: unstated };
  const described = (field: keyof ProviderFacts, text: string) =>
    current[field] === undefined ? text : `${text} Now: ${current[field]}.`;
  const answer = (label: string, field: "euOwned" | "training") => (
    <NativeSelect
      label={label}
      description={described(field, factTexts[field])}
      disabled={readOnly}
      value={facts[field] ?? ""}
      onChange={({ currentTarget: { value } }) => onChange({ [field]: isAnswer(value) ? value : null })}
      data={[nothing, ...answers]}
    />
  );
  const { retentionDays: days } = facts;
  return (
    <>
      <TextInput
        label="Legal entity"
        description={described("legalEntity", factTexts.legalEntity)}
        placeholder={unstated}
        maxLength={300}
        autoComplete="off"
        disabled={readOnly}
        value={facts.legalEntity ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ legalEntity: value === "" ? null : value })}
      />
      <MultiSelect
        label="Countries"
        description={described("countries", factTexts.country)}
        placeholder={facts.countries?.length ? undefined : unstated}
        searchable
        clearable
        disabled={readOnly}
        data={countryChoices}
        nothingFoundMessage="No such country"
        value={[...(facts.countries ?? [])]}
        onChange={(countries) => onChange({ countries: countries.length > 0 ? countries : null })}
      />
      {answer("EU-owned", "euOwned")}
      {answer("Trains on prompts", "training")}
      <NativeSelect
        label="Retention"
        description={described("retentionDays", factTexts.retention)}
        disabled={readOnly}
        value={typeof days === "number" ? "days" : (days ?? "")}
        onChange={({ currentTarget: { value } }) =>
          onChange({ retentionDays: value === "days" ? 0 : value === "unknown" ? value : null })
        }
        data={[nothing, { value: "days", label: "A number of days" }, { value: "unknown", label: "Unknown" }]}
      />
      {typeof days === "number" && (
        <NumberField
          label="Retention (days)"
          description="0: nothing is stored."
          min={0}
          max={36_500}
          allowDecimal={false}
          disabled={readOnly}
          value={days}
          onChange={(value) => onChange({ retentionDays: Number(value) })}
        />
      )}
    </>
  );
}
