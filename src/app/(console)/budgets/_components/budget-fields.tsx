import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import { BudgetMeasure, BudgetPeriod, isMoney } from "#contract/budget.ts";
import { measures, periods, scopeText } from "./budget-text.ts";
import { DimensionFields } from "./dimension-fields.tsx";
import { type BudgetDraft, withMeasure } from "./draft.ts";
import type { useNames } from "./use-names.ts";

interface BudgetFieldsProps {
  readonly draft: BudgetDraft;
  readonly onChange: (draft: BudgetDraft) => void;
  /** What a stored budget counts cannot be changed. */
  readonly stored: boolean;
  readonly names: ReturnType<typeof useNames>;
  readonly errors: FieldErrors;
}

const periodChoices = BudgetPeriod.options
  .filter((period) => period !== "none")
  .map((value) => ({ value, label: periods[value].label }));

/** What is counted and for whom, of a stored budget. */
const StoredFacts = ({ draft, names }: Pick<BudgetFieldsProps, "draft" | "names">) => (
  <Facts
    label="What is counted"
    rows={[
      ["Measure", measures[draft.measure].label],
      ["Period", periods[draft.period].label],
      ["Applies to", scopeText(draft.dimensions, names.nameOf)],
    ]}
  />
);

export function BudgetFields({ draft, onChange, stored, names, errors }: BudgetFieldsProps) {
  const set = (change: Partial<BudgetDraft>) => onChange({ ...draft, ...change });
  const { limitLabel } = measures[draft.measure];
  return (
    <>
      <NameField
        withAsterisk
        description="Refused clients see it"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus={!stored}
      />
      {stored ? (
        <StoredFacts draft={draft} names={names} />
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label="Measure"
            value={draft.measure}
            onChange={(event) => onChange(withMeasure(draft, BudgetMeasure.parse(event.currentTarget.value)))}
            data={BudgetMeasure.options.map((value) => ({ value, label: measures[value].label }))}
          />
          {draft.measure !== "concurrency" && (
            <NativeSelect
              label="Period"
              description="In UTC"
              inputWrapperOrder={["label", "input", "description", "error"]}
              value={draft.period}
              onChange={(event) => set({ period: BudgetPeriod.parse(event.currentTarget.value) })}
              data={periodChoices}
              error={errors.period}
            />
          )}
        </SimpleGrid>
      )}
      <TextInput
        label={limitLabel}
        required
        withAsterisk
        autoComplete="off"
        {...(isMoney(draft.measure)
          ? {
              inputMode: "decimal",
              pattern: "[0-9]+([.][0-9]{1,6})?",
              title: "An amount such as 25 or 2.50",
            }
          : { inputMode: "numeric", pattern: "[0-9]+", title: "A whole number such as 1000" })}
        value={draft.limit}
        onChange={(event) => set({ limit: event.currentTarget.value })}
        error={errors.limit}
      />
      {!stored && (
        <DimensionFields
          draft={draft}
          onChange={onChange}
          choices={names.choices}
          tags={names.tags}
          error={errors.dimensions}
        />
      )}
    </>
  );
}
