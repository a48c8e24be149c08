"use client";

import { Anchor, Button, Divider, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { goTo } from "#app/_lib/navigate.ts";
import { signIn, signInWithOidc } from "#app/_lib/sign-in-client.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { PasswordField } from "#app/_ui/password-field.tsx";
import { EmailField } from "#app/_ui/text-fields.tsx";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";

/** Why the organisation's own sign-in sent somebody back. */
const refusals: Readonly<Record<string, string>> = {
  oidc_state: "This sign-in has expired or was started in another tab. Try again.",
  oidc_denied: "Your organisation's sign-in denied access.",
  oidc_failed:
    "Your organisation's sign-in returned an invalid response. Contact the operator of this server.",
  email_unverified: "Your organisation's sign-in has not verified your e-mail address.",
  not_invited: "Your e-mail address has not been invited. Ask for an invitation.",
};

interface SignInFormProps {
  /** Where to go afterwards, as the address bar has it. */
  readonly next: string | undefined;
  /** A key of `refusals`. */
  readonly refusal: string | undefined;
}

/** E-mail and password. The button waits for the page's script: a plain submit would go nowhere. */
export function SignInForm({ next = "/overview", refusal }: SignInFormProps) {
  const ready = useMounted();
  const ways = useQuery(useTRPC().session.ways.queryOptions());
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(refusal === undefined ? null : (refusals[refusal] ?? null));

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    const refused = await signIn(String(fields.get("email")), String(fields.get("password")));
    if (refused === null) return goTo(next);
    setProblem(refused);
    setBusy(false);
  }

  async function leave() {
    setBusy(true);
    setProblem(null);
    const refused = await signInWithOidc(next);
    if (refused === "") return;
    setProblem(refused);
    setBusy(false);
  }

  return (
    <AuthFrame
      title="Sign in"
      problem={problem}
      foot={
        <Text size="sm" c="dimmed">
          The first administrator's e-mail and password were printed in the terminal at the first start.
        </Text>
      }
    >
      <form method="post" onSubmit={submit}>
        <Stack>
          <EmailField autoComplete="username" data-autofocus />
          <PasswordField name="password" label="Password" />
          <Button type="submit" loading={busy} disabled={!ready} fullWidth>
            Sign in
          </Button>
          <Anchor component={Link} href="/lost-password" size="sm">
            Forgot your password?
          </Anchor>
        </Stack>
      </form>
      {ways.data?.oidc && (
        <>
          <Divider label="or" />
          <Button variant="default" onClick={leave} disabled={busy} fullWidth>
            Sign in with your organisation
          </Button>
        </>
      )}
    </AuthFrame>
  );
}
