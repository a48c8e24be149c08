"use client";

import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Panel } from "#app/_ui/panel.tsx";

interface SecretsFormProps {
  readonly references: readonly string[];
  /** Those whose values are not known. */
  readonly missing: readonly string[];
  readonly isPending: boolean;
  readonly onSubmit: (secrets: Readonly<Record<string, string>>) => void;
}

/** Values of the secrets that a file refers to. They are sent with the file, and stay in this page only. */
export function SecretsForm({ references, missing, isPending, onSubmit }: SecretsFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")));
  }

  return (
    <Panel title="Secrets of the file">
      <form method="post" onSubmit={submit} aria-label="Secrets of the file" autoComplete="off">
        <Stack gap="sm">
          <Text size="sm">
            The file refers to these secrets. What is new needs a value; stored secrets stay without one.
          </Text>
          {references.map((reference) => (
            <PasswordInput
              key={reference}
              label={reference}
              description={missing.includes(reference) ? "No value yet" : "A value was entered"}
              value={values[reference] ?? ""}
              onChange={({ currentTarget: { value } }) =>
                setValues((all) => ({ ...all, [reference]: value }))
              }
              autoComplete="off"
              visibilityToggleButtonProps={{ "aria-label": "Show or hide the value", tabIndex: 0 }}
            />
          ))}
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              Plan with these values
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
