import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import type { AlertKind } from "#contract/alert-kind.ts";
import { choiceTexts } from "./alert-text.ts";
import { type SettingField, settingFieldsOf, type TypedSettings } from "./settings-schema.ts";

interface SettingsFieldsProps {
  readonly kind: AlertKind;
  readonly typed: TypedSettings;
  readonly errors: FieldErrors;
  readonly onChange: (typed: TypedSettings) => void;
}

/** The settings of one kind of alert. */
export function SettingsFields({ kind, typed, errors, onChange }: SettingsFieldsProps) {
  return settingFieldsOf(kind).map((field) => (
    <Setting
      key={field.name}
      field={field}
      value={typed[field.name] ?? ""}
      error={errors[field.name]}
      onChange={(value) => onChange({ ...typed, [field.name]: value })}
    />
  ));
}

interface SettingProps {
  readonly field: SettingField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Setting({ field: { title, description, input, choices }, value, error, onChange }: SettingProps) {
  const common = {
    label: title,
    description,
    error,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (input === "budget")
    return <BudgetSelect {...common} description="A rule for one budget watches no other limit." />;
  if (input === "choice") {
    return (
      <NativeSelect
        {...common}
        data={choices.map((choice) => ({ value: choice, label: choiceTexts[choice] ?? choice }))}
      />
    );
  }
  return <TextInput {...common} inputMode={input === "number" ? "decimal" : "text"} autoComplete="off" />;
}

/** One of the budgets, or all. */
function BudgetSelect(props: Omit<Parameters<typeof NativeSelect>[0], "data">) {
  const mayRead = useMay("workspaces:read");
  const budgets = useQuery(useTRPC().budgets.list.queryOptions({}, { enabled: mayRead }));
  const choices = (budgets.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return <NativeSelect {...props} data={[{ value: "", label: "All budgets" }, ...choices]} />;
}
