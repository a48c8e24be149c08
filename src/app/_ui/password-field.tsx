import { PasswordInput } from "@mantine/core";

interface PasswordFieldProps {
  readonly name: string;
  readonly label: string;
  /** Whether one is chosen here, or one is asked for that exists. */
  readonly chosen?: boolean;
}

/** A password, with the bounds of the server and what password managers need to know. */
export function PasswordField({ name, label, chosen = false }: PasswordFieldProps) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={chosen ? "At least 8 characters; a long passphrase is best" : undefined}
      autoComplete={chosen ? "new-password" : "current-password"}
      minLength={chosen ? 8 : undefined}
      maxLength={128}
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password", tabIndex: 0 }}
    />
  );
}
