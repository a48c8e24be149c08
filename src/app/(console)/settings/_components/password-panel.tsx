"use client";

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { changePassword } from "#app/_lib/sign-in-client.ts";
import { Panel } from "#app/_ui/panel.tsx";
import { PasswordField } from "#app/_ui/password-field.tsx";
import type { Profile } from "#contract/profile.ts";

interface PasswordPanelProps {
  readonly profile: Profile;
  readonly onChanged: () => void;
}

type Outcome = { readonly problem: string } | "changed" | null;

/** Changing the password ends every other session; that is said before it is done. */
export function PasswordPanel({ profile, onChanged }: PasswordPanelProps) {
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    setBusy(true);
    const problem = await changePassword(String(fields.get("current")), String(fields.get("chosen")));
    setBusy(false);
    setOutcome(problem === null ? "changed" : { problem });
    if (problem !== null) return;
    form.reset();
    onChanged();
  }

  return (
    <Panel title="Password">
      {profile.has_password ? (
        <form method="post" onSubmit={submit}>
          <input type="hidden" name="username" autoComplete="username" value={profile.email} readOnly />
          <Stack>
            <PasswordField name="current" label="Current password" />
            <PasswordField name="chosen" label="New password" chosen />
            {outcome === "changed" && (
              <Alert variant="default" role="status">
                Password changed. All other sessions were signed out.
              </Alert>
            )}
            {outcome !== null && outcome !== "changed" && (
              <Alert color="red" role="alert">
                {outcome.problem}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button type="submit" variant="default" loading={busy}>
                Change password
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Text size="sm">
          You sign in through your organisation and have no password. To set one, use “Forgot your password?”
          on the sign-in page.
        </Text>
      )}
    </Panel>
  );
}
