"use client";

import { Anchor, Button, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { resetPassword } from "#app/_lib/sign-in-client.ts";
import { clearUrlSecret, useUrlSecret } from "#app/_lib/url-secret.ts";
import { PasswordField } from "#app/_ui/password-field.tsx";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";

const secretName = "portolan-reset";

export function ResetPasswordForm() {
  const token = useUrlSecret(secretName);
  const [state, setState] = useState<"form" | "busy" | "done">("form");
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const chosen = String(new FormData(event.currentTarget).get("password"));
    setState("busy");
    const failure = await resetPassword(token ?? "", chosen);
    setProblem(failure);
    setState(failure === null ? "done" : "form");
    if (failure === null) clearUrlSecret(secretName);
  }

  return (
    <AuthFrame title="Choose a new password" problem={problem}>
      {state === "done" ? (
        <Text size="sm" role="status">
          Password changed. All sessions were signed out.
        </Text>
      ) : token === null ? (
        <Text size="sm">Open this page with a password reset link.</Text>
      ) : (
        <form method="post" onSubmit={submit}>
          <Stack>
            <PasswordField name="password" label="New password" chosen />
            <Button type="submit" loading={state === "busy"} disabled={!token} fullWidth>
              Set password
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} href={state === "done" ? "/sign-in" : "/lost-password"} size="sm">
        {state === "done" ? "Sign in" : "Request a new link"}
      </Anchor>
    </AuthFrame>
  );
}
