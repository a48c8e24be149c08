import { Group, NumberInput, TextInput } from "@mantine/core";
import { type Fields, shownIn, withValues } from "./entry-values.ts";

export interface EntryFieldsProps {
  readonly fields: Fields;
  readonly readOnly: boolean;
  readonly onChange: (fields: Fields) => void;
}

interface FieldProps extends EntryFieldsProps {
  readonly label: string;
  readonly name: string;
  readonly description?: string;
}

/** A text of an entry. Empty: the entry does not have it. */
export const TextField = ({ fields, readOnly, onChange, label, name, description }: FieldProps) => (
  <TextInput
    label={label}
    description={description}
    readOnly={readOnly}
    value={shownIn(fields, name)}
    onChange={({ currentTarget: { value } }) => onChange(withValues(fields, { [name]: value || undefined }))}
    autoComplete="off"
  />
);

/** A day of an entry. */
const DayField = ({ fields, readOnly, onChange, label, name, description }: FieldProps) => (
  <TextInput
    type="date"
    label={label}
    description={description}
    readOnly={readOnly}
    value={shownIn(fields, name)}
    onChange={({ currentTarget: { value } }) => onChange(withValues(fields, { [name]: value || undefined }))}
  />
);

/** A number of tokens of an entry. */
export const TokensField = ({ fields, readOnly, onChange, label, name }: FieldProps) => (
  <NumberInput
    label={label}
    placeholder="Unknown"
    min={1}
    allowDecimal={false}
    allowNegative={false}
    thousandSeparator=","
    readOnly={readOnly}
    value={shownIn(fields, name)}
    onChange={(value) => onChange(withValues(fields, { [name]: value === "" ? undefined : Number(value) }))}
  />
);

/** What is changed most often of an own model. */
export function ModelFields(props: EntryFieldsProps) {
  return (
    <>
      <TextField {...props} label="Name" name="name" />
      <Group grow align="start">
        <TokensField {...props} label="Context (tokens)" name="context_length" />
        <TokensField {...props} label="Longest answer (tokens)" name="max_output_tokens" />
      </Group>
      <Group grow align="start">
        <DayField {...props} label="Deprecated from" name="deprecation_date" />
        <DayField {...props} label="Ends on" name="expiration_date" />
      </Group>
      <TextField
        {...props}
        label="Successor"
        name="successor"
        description="ID of the model to use instead, shown with one of the two days"
      />
    </>
  );
}
