"use client";

import { NativeSelect, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { WithCode } from "#app/_ui/with-code.tsx";
import type { ConfigField, Typed } from "./config-schema.ts";

interface ConfigFieldsProps {
  readonly fields: readonly ConfigField[];
  readonly typed: Typed;
  readonly onChange: (typed: Typed) => void;
}

/** The fields of one type's configuration. */
export function ConfigFields({ fields, typed, onChange }: ConfigFieldsProps) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={typed[field.name] ?? ""}
      onChange={(value) => onChange({ ...typed, [field.name]: value })}
    />
  ));
}

interface FieldProps {
  readonly field: ConfigField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ field: { title, description, required, input, choices }, value, onChange }: FieldProps) {
  const common = {
    label: title,
    description: description && <WithCode text={description} />,
    required,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (input === "choice") return <NativeSelect {...common} data={[...choices]} />;
  if (input === "pairs") return <Textarea {...common} placeholder="name=value,name2=value2" autosize />;
  if (input === "secret") return <PasswordInput {...common} autoComplete="off" />;
  return <TextInput {...common} type={input === "address" ? "url" : "text"} autoComplete="off" />;
}
