import { TextInput, type TextInputProps } from "@mantine/core";

/** A required text field that is read from the form's data. */
const RequiredField = (props: TextInputProps) => (
  <TextInput required withAsterisk={false} autoComplete="off" {...props} />
);

export const NameField = (props: TextInputProps) => (
  <RequiredField name="name" label="Name" maxLength={100} {...props} />
);

export const EmailField = (props: TextInputProps) => (
  <RequiredField name="email" type="email" label="E-mail" {...props} />
);

/** An amount in euros with up to six decimals. */
export const EuroField = (props: TextInputProps) => (
  <TextInput
    inputMode="decimal"
    pattern="[0-9]+([.][0-9]{1,6})?"
    title="Euros such as 25 or 2.50"
    autoComplete="off"
    {...props}
  />
);
