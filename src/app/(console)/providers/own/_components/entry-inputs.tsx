import { TextInput } from "@mantine/core";
import { NumberField } from "#app/_ui/number-field.tsx";
import { type Fields, shownIn, withValues } from "./entry-values.ts";

/** Some fields of an entry, shown as inputs. */
export interface SectionFieldsProps {
  readonly fields: Fields;
  readonly readOnly: boolean;
  readonly onChange: (fields: Fields) => void;
}

interface FieldProps extends SectionFieldsProps {
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
export const DayField = ({ fields, readOnly, onChange, label, name, description }: FieldProps) => (
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
  <NumberField
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
