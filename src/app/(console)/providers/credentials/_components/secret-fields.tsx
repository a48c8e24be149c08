import { PasswordInput } from "@mantine/core";
import { credentialParts } from "#contract/credential-parts.ts";

interface SecretFieldsProps {
  readonly auth: string;
  readonly typed: Readonly<Record<string, string>>;
  /** The end of the secret that is stored; undefined for a new credential, which needs one. */
  readonly stored?: { readonly lastFour: string | null } | undefined;
  readonly onChange: (typed: Record<string, string>) => void;
}

/** What a provider's credential consists of. What is stored is never shown; empty fields keep it. */
export function SecretFields({ auth, typed, stored, onChange }: SecretFieldsProps) {
  return credentialParts(auth).map(({ name, label, description, optional }, index) => (
    <PasswordInput
      key={name}
      label={label}
      description={
        index === 0 && stored
          ? `Leave empty to keep the current one${stored.lastFour ? ` (ending in ${stored.lastFour})` : ""}`
          : description
      }
      required={!optional && !stored}
      value={typed[name] ?? ""}
      onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
      autoComplete="off"
    />
  ));
}
