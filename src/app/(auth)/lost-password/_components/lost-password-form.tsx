"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { requestReset } from "#app/_lib/sign-in-client.ts";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";

/** Asks for a link. The answer is the same whether the address is known or not. */
export function LostPasswordForm() {
  const ready = useMounted();
  const [state, setState] = useState<"asking" | "busy" | "asked">("asking");
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get("email"));
    setState("busy");
    const refused = await requestReset(email);
    setProblem(refused);
    setState(refused === null ? "asked" : "asking");
  }

  return (
    <AuthFrame title="Lost password" problem={problem}>
      {state === "asked" ? (
        <Text size="sm" role="status">
          If this address has an account, a link to choose a new password is on its way. It counts once, for
          an hour. Where no mail is set up, whoever runs this server finds it in the terminal.
        </Text>
      ) : (
        <form method="post" onSubmit={submit}>
          <Stack>
            <TextInput
              name="email"
              type="email"
              label="E-mail"
              autoComplete="username"
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={state === "busy"} disabled={!ready} fullWidth>
              Ask for a link
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
