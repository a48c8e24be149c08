"use client";

import { Anchor, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type FormEvent, useEffect } from "react";
import { failureOf } from "#app/_lib/failure.ts";
import { goTo } from "#app/_lib/navigate.ts";
import { signIn, signOut } from "#app/_lib/sign-in-client.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { clearUrlSecret, useUrlSecret } from "#app/_lib/url-secret.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { PasswordField } from "#app/_ui/password-field.tsx";
import { EmailField, NameField } from "#app/_ui/text-fields.tsx";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";
import type { InvitationView } from "#contract/member.ts";

const secretName = "portolan-invitation";
const signInFirst = `/sign-in?next=${encodeURIComponent("/accept-invitation")}`;

interface AcceptProps {
  readonly token: string;
  readonly view: InvitationView;
}

function done(path: string): void {
  clearUrlSecret(secretName);
  goTo(path);
}

/** Who has no account yet gets one, and is signed in with it. */
function NewAccount({ token, view }: AcceptProps) {
  const accept = useMutation(useTRPC().invitations.accept.mutationOptions());

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const [name, password] = [String(fields.get("name")), String(fields.get("password"))];
    const enter = async () => done((await signIn(view.email, password)) === null ? "/overview" : "/sign-in");
    accept.mutate({ token, name, password }, { onSuccess: enter });
  }

  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <FormFailure error={accept.error} />
        <EmailField value={view.email} autoComplete="username" readOnly />
        <NameField label="Your name" autoComplete="name" />
        <PasswordField name="password" label="Password" chosen />
        <Button type="submit" loading={accept.isPending || accept.isSuccess} fullWidth>
          Join {view.organisation}
        </Button>
      </Stack>
    </form>
  );
}

/** Who has an account accepts with it, signed in. */
function KnownAccount({ token, view }: AcceptProps) {
  const trpc = useTRPC();
  const person = useQuery(trpc.profile.get.queryOptions());
  const accept = useMutation(trpc.invitations.accept.mutationOptions({ onSuccess: () => done("/overview") }));
  const toSignIn = () => goTo(signInFirst);
  const change = async () => {
    await signOut();
    toSignIn();
  };
  if (person.isPending) return <Skeleton h={80} aria-label="Loading" />;
  if (!person.data) {
    return (
      <>
        <Text size="sm">{view.email} already has an account. Sign in to accept the invitation.</Text>
        <Button onClick={toSignIn} fullWidth>
          Sign in
        </Button>
      </>
    );
  }
  if (person.data.email !== view.email) {
    return (
      <>
        <Text size="sm">
          This invitation is for {view.email}. You are signed in as {person.data.email}.
        </Text>
        <Button onClick={change} fullWidth>
          Sign in as {view.email}
        </Button>
      </>
    );
  }
  return (
    <>
      <FormFailure error={accept.error} />
      <Button
        onClick={() => accept.mutate({ token })}
        loading={accept.isPending || accept.isSuccess}
        fullWidth
      >
        Join {view.organisation}
      </Button>
    </>
  );
}

/** Where the link of an invitation leads. */
export function AcceptInvitation() {
  const token = useUrlSecret(secretName);
  const look = useMutation(useTRPC().invitations.view.mutationOptions());
  const { mutate } = look;
  useEffect(() => {
    if (token) mutate({ token });
  }, [token, mutate]);
  const view = look.data?.data;
  const problem = look.isError ? failureOf(look.error).message : null;
  return (
    <AuthFrame title={view ? `Join ${view.organisation}` : "Invitation"} problem={problem}>
      {view && (
        <Text size="sm">
          You are invited to {view.organisation} as {view.role}.
        </Text>
      )}
      {token === null && <Text size="sm">Open this page with the link from your invitation.</Text>}
      {token && !view && !problem && <Skeleton h={160} aria-label="Loading" />}
      {token &&
        view &&
        (view.has_account ? (
          <KnownAccount token={token} view={view} />
        ) : (
          <NewAccount token={token} view={view} />
        ))}
      {view?.has_account === null && (
        <Text size="sm">
          Already have an account with this address?{" "}
          <Anchor component={Link} href={signInFirst} size="sm">
            Sign in to accept
          </Anchor>
        </Text>
      )}
    </AuthFrame>
  );
}
