"use client";

import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { requestReset } from "#app/_lib/sign-in-client.ts";
import { EmailField } from "#app/_ui/text-fields.tsx";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";

/** Asks for a link. The answer is the same whether the address is known or not. */
export function LostPasswordForm() {
  const ready = useMounted();
  const [state, setState] = useState<"form" | "busy" | "sent">("form");
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get("email"));
    setState("busy");
    const failure = await requestReset(email);
    setProblem(failure);
    setState(failure === null ? "sent" : "form");
  }

  return (
    <AuthFrame title="Reset your password" problem={problem}>
      {state === "sent" ? (
        <Text size="sm" role="status">
          If an account exists for this address, a reset link was sent. It works once and expires in one hour.
          If this server sends no e-mail, the link is printed in its terminal.
        </Text>
      ) : (
        <form method="post" onSubmit={submit}>
          <Stack>
            <EmailField autoComplete="username" />
            <Button type="submit" loading={state === "busy"} disabled={!ready} fullWidth>
              Send reset link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor component={Link} href="/sign-in" size="sm">
        Back to sign in
      </Anchor>
    </AuthFrame>
  );
}
