"use client";

import { Alert, Button, Group, TextInput } from "@mantine/core";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Form } from "#app/_ui/form.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { Profile } from "#contract/profile.ts";

interface NamePanelProps {
  readonly profile: Profile;
  readonly onChanged: () => void;
}

export function NamePanel({ profile, onChanged }: NamePanelProps) {
  const update = useMutation(useTRPC().profile.update.mutationOptions({ onSuccess: onChanged }));

  function submit(fields: FormData) {
    update.mutate({ name: textIn(fields, "name") });
  }

  return (
    <Panel title="Profile">
      <Form onSubmit={submit} saved={update.data}>
        <NameField defaultValue={profile.name} autoComplete="name" />
        <TextInput
          label="E-mail"
          description="Used to sign in"
          value={profile.email}
          autoComplete="email"
          readOnly
        />
        <FormFailure error={update.error} />
        {update.isSuccess && (
          <Alert variant="default" role="status">
            Name saved.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={update.isPending}>
            Save name
          </Button>
        </Group>
      </Form>
    </Panel>
  );
}
