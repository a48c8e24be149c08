import { Radio, Stack } from "@mantine/core";
import type { Role } from "#contract/permission.ts";

interface RoleFieldProps {
  readonly description?: string;
  readonly choices: readonly { readonly value: Role; readonly label: string; readonly about: string }[];
}

/** The choice of a role with what each one may do; `member` by default. */
export function RoleField({ description, choices }: RoleFieldProps) {
  return (
    <Radio.Group name="role" label="Role" description={description} defaultValue="member">
      <Stack gap="xs" mt="xs">
        {choices.map(({ value, label, about }) => (
          <Radio key={value} value={value} label={label} description={about} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
