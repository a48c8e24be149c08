"use client";

import { Alert, Button, Group, TextInput } from "@mantine/core";
import { failureOf } from "#app/_lib/failure.ts";
import { textIn } from "#app/_lib/key-bounds.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FailureText } from "#app/_ui/failure-text.tsx";
import { Form } from "#app/_ui/form.tsx";
import { Panel } from "#app/_ui/panel.tsx";
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
        <TextInput
          name="name"
          label="Name"
          defaultValue={profile.name}
          autoComplete="name"
          maxLength={100}
          required
          withAsterisk={false}
        />
        <TextInput
          label="E-mail"
          description="Used to sign in"
          value={profile.email}
          autoComplete="email"
          readOnly
        />
        {update.isError && (
          <Alert color="red" role="alert">
            <FailureText failure={failureOf(update.error)} />
          </Alert>
        )}
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
